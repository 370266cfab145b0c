import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { anyServerDatabase, type OpenDatabase } from '../support/databases.ts'
import { fetchAndClose } from '../support/fetch-and-close.ts'
import { runCommand } from '../support/run-command.ts'
import { type RunningServer, startServer } from '../support/start-server.ts'

// Each server and each command is a process, and a busy machine starts them slowly.
vi.setConfig({ testTimeout: 60_000 })

const secret = 'a secret for tests that is long enough'
const ours = { 'clientele-console': '1', 'content-type': 'application/json' }

function start(environment: Record<string, string>): RunningServer {
  const running = startServer({ PORT: '0', LOG_LEVEL: 'debug', ...environment })
  onTestFinished(async () => {
    running.child.kill('SIGTERM')
    await running.ended
  })
  return running
}

async function readLink(running: RunningServer): Promise<{ page: string; link: string }> {
  const [, page = '', link = ''] = await running.waitFor(
    /^Console: (http\S+\/client\/console\/)#link=([\w-]{43})$/m,
  )
  return { page, link }
}

function follow(page: string, link: string): Promise<Response> {
  const body = JSON.stringify({ link })
  return fetchAndClose(`${page}session`, { method: 'POST', headers: ours, body })
}

describe.each(anyServerDatabase)('the console of the server on $name', ({ name, open }) => {
  let database: OpenDatabase
  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  const environment = () => ({ DATABASE_URL: database.url, CLIENTELE_SECRET: secret })

  test('each start prints a link, which opens the page once', async () => {
    const running = start(environment())
    const { page, link } = await readLink(running)
    const html = await (await fetchAndClose(page)).text()
    const [, script = ''] = /src="\.\/(assets\/[\w.-]+\.js)"/.exec(html) ?? []
    const file = await fetchAndClose(page + script)
    expect([file.status, file.headers.get('content-type')]).toEqual([
      200,
      'text/javascript; charset=utf-8',
    ])
    const opened = await follow(page, link)
    expect(opened.status).toBe(201)
    const [cookie = ''] = opened.headers.getSetCookie()
    const headers = { ...ours, cookie: cookie.split(';')[0] ?? '' }
    const accounts = await fetchAndClose(`${page}accounts`, { headers })
    expect(await accounts.json()).toMatchObject({ accounts: [{ name: 'demo' }] })
    expect((await follow(page, link)).status).toBe(401)

    const again = start(environment())
    const second = await readLink(again)
    expect(second.link).not.toBe(link)
    // Either server takes it: the database has it, and the secret is one.
    expect((await follow(page, second.link)).status).toBe(201)
    expect((await fetchAndClose(`${second.page}accounts`, { headers })).status).toBe(200)
    const logged = running.errors() + again.errors()
    for (const each of [link, second.link, headers.cookie]) expect(logged).not.toContain(each)
  })

  test("a command creates another link, with the server's address", async () => {
    const { page } = await readLink(start(environment()))
    const { port } = new URL(page)
    const made = await runCommand(['console-link'], { ...environment(), PORT: port })
    expect([made.code, made.errors]).toEqual([0, ''])
    const [, link = ''] =
      /^Console: http:\/\/127\.0\.0\.1:\d+\/api\/v1\/client\/console\/#link=([\w-]{43})\nIt works once, until \S+\.\n$/.exec(
        made.output,
      ) ?? []
    expect((await follow(page, link)).status).toBe(201)
    const publicUrl = 'https://api.example.com/v1/'
    const asJson = await runCommand(['console-link', '--json'], {
      ...environment(),
      PUBLIC_URL: publicUrl,
    })
    expect(JSON.parse(asJson.output)).toEqual({
      url: expect.stringMatching(
        /^https:\/\/api\.example\.com\/v1\/client\/console\/#link=[\w-]{43}$/,
      ),
      expires_at: expect.stringMatching(/Z$/),
    })
    const usual = await runCommand(['console-link'], { ...environment(), HOST: '::' })
    expect(usual.output).toContain('Console: http://[::1]:3000/api/v1/client/console/#link=')
    const unused = await runCommand(['console-link'], { ...environment(), PORT: '9' })
    expect(unused.output).toMatch(/\nNo server answers at http:\/\/127\.0\.0\.1:9 now: set PORT/)
    const nowhere = await runCommand(['console-link'], { ...environment(), PORT: '0' })
    expect([nowhere.code, nowhere.output]).toEqual([2, ''])
  })

  test('CONSOLE=false disables it, and the link begins with PUBLIC_URL', async () => {
    const without = start({ ...environment(), CONSOLE: 'false' })
    const [, base] = await without.waitFor(/^Listening on (\S+)$/m)
    await without.waitFor(/^(To make an API key: |curl )/m)
    for (const path of ['', '/', '/session']) {
      const response = await fetchAndClose(`${base}/client/console${path}`, { headers: ours })
      expect([path, response.status]).toEqual([path, 404])
    }
    expect(without.output()).not.toContain('Console:')
    const elsewhere = start({ ...environment(), PUBLIC_URL: 'https://api.example.com/v1' })
    expect((await readLink(elsewhere)).page).toBe('https://api.example.com/v1/client/console/')
  })

  test.runIf(name === 'postgres')('several workers print one link, and each takes it', async () => {
    const running = start({ ...environment(), WORKERS: '2' })
    const { page, link } = await readLink(running)
    const answers = await Promise.all(Array.from({ length: 6 }, () => follow(page, link)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(5).fill(401)])
    const [cookie = ''] = answers.flatMap(({ headers }) => headers.getSetCookie())
    const headers = { ...ours, cookie: cookie.split(';')[0] ?? '' }
    // Whichever of them answers: the cookie is all there is to know.
    for (let tries = 0; tries < 8; tries++)
      expect((await fetchAndClose(`${page}session`, { headers })).status).toBe(200)
    running.child.kill('SIGTERM')
    expect(await running.ended).toBe(0)
    expect(running.output().match(/^Console: /gm)).toHaveLength(1)
  })
})

test('the command reports a missing database, and creates none', async () => {
  const url = 'sqlite:/nowhere/to/be/found/users.sqlite'
  const { code, output, errors } = await runCommand(['console-link'], { DATABASE_URL: url })
  expect({ code, output }).toEqual({ code: 1, output: '' })
  expect(errors).toMatch(/^error configuration_invalid: There is no SQLite file/)
})
