import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTenant } from '../http/support/world.ts'
import { root as repositoryRoot } from '../package/source-files.ts'
import { openDatabase } from '../support/databases.ts'
import { Browser, ConsoleWorld, files, outcome, readFile } from './console-world.ts'

const csp =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; " +
  "form-action 'none'; frame-ancestors 'none'"

describe('the page of the console', () => {
  let browser: Browser
  let key: string
  const world = new ConsoleWorld()

  beforeAll(async () => {
    const clientele = await world.open('sqlite::memory:')
    key = (await createTenant(clientele)).key
    browser = await new Browser(clientele).signIn(key)
  })
  afterAll(() => world.close())

  const root = '/client/console'

  test('the address without a slash redirects to the one with a slash, under any mount path', async () => {
    for (const path of [root, `${root}?x=1`]) {
      const answer = await browser.askPlainly('GET', path)
      expect([answer.status, answer.headers.location, answer.text]).toEqual([
        308,
        'console/',
        undefined,
      ])
    }
    const { href } = new URL('console/', `https://example.com/any/prefix${root}`)
    expect(href).toBe(`https://example.com/any/prefix${root}/`)
  })

  test('its files need no session; only files whose names change may be cached', async () => {
    const stranger = new Browser(await world.open('sqlite::memory:'))
    const page = await stranger.askPlainly('GET', `${root}/`)
    expect([page.status, page.text]).toEqual([200, files['index.html']])
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
    })
    for (const [name, type] of [
      ['main-1a2b3c.js', 'text/javascript'],
      ['main-1a2b3c.css', 'text/css'],
      ['icon-1a2b3c.svg', 'image/svg+xml'],
    ]) {
      const answer = await stranger.askPlainly('GET', `${root}/assets/${name}`)
      expect([answer.status, answer.text]).toEqual([200, files[`assets/${name}`]])
      expect(answer.headers).toMatchObject({
        'content-type': `${type}; charset=utf-8`,
        'cache-control': 'public, max-age=31536000, immutable',
      })
    }
  })

  test.each([
    'assets/nothing.js',
    'assets/',
    'assets/../secret.js',
    'assets/..%2fsecret.js',
    'assets/%2e%2e%2fsecret.js',
    'assets/..%5csecret.js',
    'assets/%2e%2e/secret.js',
    'assets//secret.js',
    'assets/main-1a2b3c.js/',
    'assets/.hidden.js',
    'assets/__proto__',
    'assets/constructor.js',
    'secret.js',
    'index.html',
    '../user',
    'nothing',
    'api',
    'api/',
    'api/client',
    'api/client/console/session',
    'api//client/user',
    'session/',
    'SESSION',
    '/',
  ])('%s is 404', async (path) => {
    const answer = await browser.ask('GET', path)
    expect([answer.status, answer.json.code]).toEqual([404, 'route_not_found'])
    expect(answer.headers['content-security-policy']).toBe(csp)
  })

  test('a file name with NUL is 404', async () => {
    expect((await browser.ask('GET', 'assets/main-1a2b3c.js%00')).status).toBe(404)
  })

  test('the host handles all other paths', async () => {
    for (const path of ['/client', '/client/consoles', '/client/user', '/client/console-x', '/']) {
      await expect(browser.askPlainly('GET', path)).rejects.toThrow('no path of the console')
    }
  })

  test('every response restricts what a page can do', async () => {
    const answers = await Promise.all([
      browser.askPlainly('GET', root),
      browser.askPlainly('GET', `${root}/`),
      browser.askPlainly('GET', `${root}/assets/main-1a2b3c.js`),
      browser.askPlainly('GET', `${root}/session`),
      browser.ask('GET', 'session'),
      browser.ask('POST', 'session', { body: { link: 'x' } }),
      browser.ask('GET', 'api/client/user'),
      browser.ask('GET', 'api/client/user/openapi.json'),
      browser.ask('GET', 'api/client/user/none'),
      browser.ask('POST', 'api/client/user', { body: {} }),
      browser.ask('PUT', 'session'),
      browser.ask('GET', 'overview'),
      browser.ask('GET', 'accounts'),
      browser.ask('HEAD', 'api/client/user'),
    ])
    expect(answers.map(({ status }) => status)).toEqual([
      308, 200, 200, 403, 200, 401, 200, 200, 404, 422, 405, 200, 403, 200,
    ])
    for (const [index, { headers }] of answers.entries()) {
      expect([index, headers]).toMatchObject([
        index,
        {
          'content-security-policy': csp,
          'x-content-type-options': 'nosniff',
          'x-frame-options': 'DENY',
          'referrer-policy': 'no-referrer',
          'cross-origin-opener-policy': 'same-origin',
          'cross-origin-resource-policy': 'same-origin',
          'permissions-policy': expect.stringMatching(/camera=\(\)/),
          'cache-control': index === 2 ? expect.stringMatching(/immutable/) : 'no-store',
          'x-request-id': expect.any(String),
        },
      ])
    }
  })

  test('HEAD is answered as GET, without the content', async () => {
    const get = await browser.askPlainly('GET', `${root}/`)
    const head = await browser.askPlainly('HEAD', `${root}/`)
    const { 'x-request-id': _one, ...fields } = get.headers
    expect(head.text).toBeUndefined()
    expect(head.headers).toMatchObject(fields)
    const refused = await browser.ask('DELETE', 'overview')
    expect([refused.status, refused.headers.allow]).toEqual([405, 'GET, HEAD'])
  })

  test('a request from another page is refused, whatever cookie it carries', async () => {
    const forged = [403, 'console_request_forged']
    const ours = { 'clientele-console': '1' }
    const ask = async (path: string, headers: Record<string, string>, method = 'GET') =>
      outcome(await browser.askPlainly(method, `${root}/${path}`, { headers }))
    for (const path of ['session', 'api/client/user', 'api/client/user/openapi.json', 'overview']) {
      expect([path, await ask(path, {})]).toEqual([path, forged])
      expect(await ask(path, { 'clientele-console': '0' })).toEqual(forged)
      for (const site of ['cross-site', 'same-site', 'none', 'same-origin, cross-site'])
        expect(await ask(path, { ...ours, 'sec-fetch-site': site })).toEqual(forged)
      // Older browsers do not say it.
      expect((await ask(path, ours))[0]).toBe(200)
    }
    expect(await ask('session', {}, 'DELETE')).toEqual(forged)
    const form = await browser.askPlainly('POST', `${root}/session`, {
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'none' },
    })
    expect(outcome(form)).toEqual(forged)
    const formOfOurs = await browser.ask('POST', 'session', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    expect(outcome(formOfOurs)).toEqual([415, 'media_type_unsupported'])
    expect((await browser.ask('GET', 'session')).status).toBe(200)
  })

  test('an API key in a header does not authenticate here', async () => {
    const stranger = new Browser(await world.open('sqlite::memory:'))
    const answer = await stranger.ask('GET', 'api/client/user', {
      headers: { authorization: `Bearer ${key}` },
    })
    expect(outcome(answer)).toEqual([401, 'console_session_missing'])
  })

  test('creating it without its options fails', async () => {
    const clientele = await world.open('sqlite::memory:')
    const make = (options?: unknown) => () => clientele.console.routes(options as never) // as JavaScript may
    const refused = (message: RegExp) =>
      expect.objectContaining({
        code: 'configuration_invalid',
        message: expect.stringMatching(message),
      })
    expect(make()).toThrow(refused(/^Pass an object/))
    expect(make({})).toThrow(refused(/readFile must be a function/))
    expect(make({ readFile, authorise: () => {} })).toThrow(refused(/authorise is not known/))
    expect(make({ readFile, authorize: true })).toThrow(refused(/authorize must be a function/))
  })

  test('it lists one operation, and documents none', async () => {
    const clientele = await world.open('sqlite::memory:')
    const { operations, openApi } = clientele.console.routes({ readFile })
    expect(operations).toEqual([{ id: 'openConsole', method: 'GET', path: root }])
    expect((await openApi()).paths).toEqual({})
    expect(JSON.stringify(await clientele.openApi())).not.toContain('/client/console')
  })

  test('bundled packages come with their licences', () => {
    const file = join(repositoryRoot, 'packages/console/dist/page/THIRD-PARTY-NOTICES.md')
    expect(readFileSync(file, 'utf8')).toMatch(/preact .*\(MIT\)/)
  })

  test('a database that does not answer is a 503', async () => {
    const database = await openDatabase('postgres')
    const clientele = await world.open(database.url)
    const { key: opened } = await createTenant(clientele)
    const visitor = await new Browser(clientele).signIn(opened)
    await database.close()
    for (const path of ['session', 'api/client/user', 'overview']) {
      const answer = await visitor.ask('GET', path)
      expect([path, ...outcome(answer)]).toEqual([path, 503, 'storage_unavailable'])
      expect(answer.headers['retry-after']).toBeDefined()
    }
  })
})
