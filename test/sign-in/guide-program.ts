import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, type TestContext } from 'vitest'
import { root } from '../package/source-files.ts'
import { findFreePort } from '../support/find-free-port.ts'

/** Starts the program below a heading of a guide, as it stands there, until the test is over. */
export async function startProgram(
  { onTestFinished }: TestContext,
  guide: string,
  heading: string,
) {
  const text = readFileSync(join(root, 'packages/core/guides', guide), 'utf8')
  const section = text.split(/^## /m).find((part) => part.startsWith(heading)) ?? ''
  const program = /^```ts\n(.*?)^```$/ms.exec(section)?.[1] ?? ''
  const folder = mkdtempSync(join(tmpdir(), 'clientele-cookies-'))
  const file = join(folder, 'users.sqlite')
  expect(program).toContain("filename: 'users.sqlite'")
  const source = program.replace("'users.sqlite'", JSON.stringify(file))
  const port = await findFreePort()
  const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', source], {
    cwd: join(root, 'test'),
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  onTestFinished(async () => {
    child.kill()
    await ended
    rmSync(folder, { recursive: true })
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  /** The rest of the next line that the program prints with this beginning */
  const read = async (beginning: string): Promise<string> => {
    for (;;) {
      const { value } = await lines.next()
      if (value === undefined) throw new Error(`The program has ended without ${beginning}`)
      if (value.startsWith(beginning)) return value.slice(beginning.length)
    }
  }
  await read('Listening on ')
  return { base: `http://127.0.0.1:${port}`, filename: file, read }
}

/** A browser's cookies, and its requests of one site */
export class Browser {
  readonly #base: string
  readonly cookies = new Map<string, string>()
  /** The attributes of the last cookie of each name */
  readonly attributes = new Map<string, string>()

  constructor(base: string) {
    this.#base = base
  }

  /** A form is an object, JSON a text. */
  async send(path: string, sent?: Record<string, string> | string, site = 'same-origin') {
    const isJson = typeof sent === 'string'
    const cookie = [...this.cookies].map((pair) => pair.join('=')).join('; ')
    const response = await fetch(this.#base + path, {
      redirect: 'manual',
      headers: {
        ...{ cookie, 'sec-fetch-site': site },
        ...(isJson && { 'content-type': 'application/json' }),
      },
      ...(sent && { method: 'POST', body: isJson ? sent : new URLSearchParams(sent) }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = '', attributes = ''] = /^([^=]+)=([^;]*);?(.*)$/.exec(line) ?? []
      if (value === '') this.cookies.delete(name)
      else this.cookies.set(name, value)
      this.attributes.set(name, attributes)
    }
    const { status, headers } = response
    return { status, location: headers.get('location'), body: await response.text() }
  }
}
