import { mkdirSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'

export const packageFolder = join(import.meta.dirname, '../../packages/create-clientele')
export const command = join(packageFolder, 'dist/create-clientele.js')

/** A folder for apps: what they import is found from there, as it is after `npm install`. */
export function newAppsFolder(): string {
  const parent = join(packageFolder, '.apps')
  mkdirSync(parent, { recursive: true })
  return mkdtempSync(join(parent, 'run-'))
}

/** A browser, as far as an app without scripts needs one: it keeps cookies, and follows nothing by itself. */
export function createBrowser(origin: string) {
  const cookies = new Map<string, string>()
  async function send(
    path: string,
    form?: Record<string, string> | [name: string, value: string][],
    headers = {},
  ) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(origin + path, {
      redirect: 'manual',
      method: form === undefined ? 'GET' : 'POST',
      headers: { cookie, origin, 'sec-fetch-site': 'same-origin', ...headers },
      ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    const { status } = response
    return {
      status,
      location: response.headers.get('location'),
      text: await response.text(),
      response,
    }
  }
  return { cookies, send }
}
