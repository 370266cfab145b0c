import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Secret, TOTP } from 'otpauth'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { openEmptyDatabase } from '../support/databases.ts'
import { findFreePort } from '../support/find-free-port.ts'
import { runsEveryTest } from '../support/slow-tests.ts'
import { startProcess } from '../support/start-process.ts'
import { command, createBrowser, newAppsFolder, packageFolder } from './support.ts'

const folder = newAppsFolder()
afterAll(() => rmSync(folder, { recursive: true }))

const all = ['express', 'fastify', 'koa', 'hono'].flatMap((framework) =>
  ['sqlite', 'postgresql'].flatMap((database) =>
    ['typescript', 'javascript'].flatMap((language) =>
      ['site', 'routes'].map((pages) => ({ framework, database, language, pages })),
    ),
  ),
)
// In `npm test` each value but Koa is tried once at least, and one site behind a proxy.
const few = [
  { framework: 'express', database: 'postgresql', language: 'typescript', pages: 'site' },
  { framework: 'fastify', database: 'sqlite', language: 'javascript', pages: 'site' },
  { framework: 'hono', database: 'sqlite', language: 'javascript', pages: 'routes' },
]

describe.each(runsEveryTest ? all : few)(
  'the app with $framework, $database, $language and $pages',
  (chosen) => {
    const name = Object.values(chosen).join('-')
    const options = Object.entries(chosen).flatMap(([option, value]) => [`--${option}`, value])

    test('is created and starts, and its users sign in', { timeout: 60_000 }, async () => {
      const said = execFileSync(process.execPath, [command, name, ...options], {
        cwd: folder,
        encoding: 'utf8',
      })
      expect(said).toContain(`cd ${name}`)
      const { origin, output } = await start(join(folder, name), chosen.database)
      if (chosen.pages === 'site') await useSite(origin)
      else await useRoutes(origin, output())
    })

    test.runIf(chosen.pages === 'site' && (runsEveryTest || chosen.framework === 'express'))(
      'counts failed sign-ins by the address that as many proxies as TRUST_PROXY report',
      { timeout: 60_000 },
      async () => {
        const behind = `${name}-behind-a-proxy`
        execFileSync(process.execPath, [command, behind, ...options], { cwd: folder })
        const database = chosen.database
        const trusting = await start(join(folder, behind), database, { TRUST_PROXY: '1' })
        const seen = await signInBehindProxies(trusting.origin)
        expect(seen.slice(-2)).toEqual([429, 303])
        await trusting.stop()
        // Without a trusted proxy a stranger could write any address into the header.
        rmSync(join(folder, behind, 'data'), { recursive: true, force: true })
        const open = await start(join(folder, behind), database)
        expect((await signInBehindProxies(open.origin)).slice(-2)).toEqual([429, 429])
      },
    )

    // The database makes a difference in one file.
    const hasOwnTypes = chosen.language === 'typescript' && chosen.database === databaseOf(chosen)
    test.runIf(runsEveryTest && hasOwnTypes)('has sound types', { timeout: 60_000 }, () => {
      const tsc = join(packageFolder, 'node_modules/typescript/bin/tsc')
      const cwd = join(folder, name)
      const { stdout } = spawnSync(process.execPath, [tsc], { cwd, encoding: 'utf8' })
      expect(stdout).toBe('')
    })
  },
)

const databaseOf = ({ pages }: { pages: string }) => (pages === 'site' ? 'sqlite' : 'postgresql')

async function start(cwd: string, database: string, more: Record<string, string> = {}) {
  const { scripts } = JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8'))
  const [program, option, script = ''] = scripts.start.split(' ')
  expect([program, option]).toEqual(['node', '--env-file-if-exists=.env'])
  if (database === 'postgresql') {
    const { url, close } = await openEmptyDatabase('postgres')
    onTestFinished(close)
    const file = join(cwd, '.env')
    const environment = readFileSync(file, 'utf8')
    writeFileSync(
      file,
      environment.replace(/^DATABASE_URL=.*$/m, () => `DATABASE_URL=${url}`),
    )
  }
  const PORT = String(await findFreePort())
  const running = startProcess(option, [script], { PORT, ...more }, cwd)
  const stop = async () => {
    running.child.kill()
    await running.ended
  }
  onTestFinished(stop)
  await running.waitFor(/^Listening on /m)
  return { origin: `http://127.0.0.1:${PORT}`, output: running.output, stop }
}

async function useRoutes(origin: string, output: string): Promise<void> {
  const [, apiKey] = /^API key: (\S+)$/m.exec(output) ?? []
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const ask = (path: string, body: object) =>
    fetch(`${origin}/api/v1/client/user${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
  const credentials = { email: 'ada@example.com', password: 'analytical engine' }
  expect((await ask('', { name: 'Ada', ...credentials })).status).toBe(201)
  const { data } = Object(await (await ask('/auth/login', credentials)).json())
  const me = await fetch(`${origin}/me`, { headers: { authorization: `Bearer ${data.token}` } })
  expect(await me.json()).toMatchObject({ email: credentials.email })
  expect((await fetch(`${origin}/me`)).status).toBe(401)
}

/** What a page says to a person: no pointer into a document, and no tenant. */
function alertOf(text: string): string {
  const [, said = ''] = /<p role="alert">([^<]*)</.exec(text) ?? []
  expect(said).not.toMatch(/(^|\s)\/|account/)
  return said
}

/** Fails to sign in until it is refused, and then signs in from another address. */
async function signInBehindProxies(origin: string): Promise<number[]> {
  const { send } = createBrowser(origin)
  const credentials = { email: 'ada@example.com', password: 'analytical engine' }
  await send('/sign-up', { name: 'Ada', ...credentials })
  const from = (address: string) => ({ 'x-forwarded-for': `192.0.2.7, ${address}` })
  const statuses: number[] = []
  while (statuses.length < 20 && statuses.at(-1) !== 429) {
    const wrong = { ...credentials, password: 'wrong' }
    statuses.push((await send('/sign-in', wrong, from('198.51.100.1'))).status)
  }
  statuses.push((await send('/sign-in', credentials, from('198.51.100.2'))).status)
  return statuses
}

async function useSite(origin: string): Promise<void> {
  const { send, cookies } = createBrowser(origin)
  const credentials = { email: 'ada@example.com', password: 'analytical engine' }
  const signUp = { name: '<b>Ada</b>', ...credentials }
  expect(await send('/')).toMatchObject({ status: 303, location: '/sign-in' })
  expect(await send('/me')).toMatchObject({ status: 303, location: '/sign-in' })
  expect((await send('/sign-in')).text).toContain('<form method="post" action="/sign-in">')
  const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  expect(await send('/sign-up', signUp, foreign)).toMatchObject({ status: 403 })
  const short = await send('/sign-up', { ...signUp, email: 'ada', password: 'short' })
  expect(short.status).toBe(422)
  expect(alertOf(short.text)).toBe(
    'Type a full e-mail address. The password must have at least 6 characters.',
  )
  const opened = await send('/sign-up', signUp)
  expect(opened).toMatchObject({ status: 303, location: '/' })
  for (const line of opened.response.headers.getSetCookie()) {
    expect(line).toMatch(/; httponly/i)
    expect(line).toMatch(/; samesite=lax/i)
  }
  const home = await send('/')
  expect(home.text).toContain('Hello, &lt;b&gt;Ada&lt;/b&gt;')
  expect(home.response.headers.get('cache-control')).toBe('no-store')
  expect(JSON.parse((await send('/me')).text)).toMatchObject({ name: '<b>Ada</b>' })

  // The token has expired: the refresh token gives another.
  cookies.delete('token')
  expect((await send('/')).text).toContain('You are signed in')
  expect([...cookies.keys()].sort()).toEqual(['refresh_token', 'token'])

  const enrolment = await send('/second-factor', {})
  expect(enrolment.text).toContain('<svg')
  const [, secret = ''] = /<code>([A-Z2-7]+)<\/code>/.exec(enrolment.text) ?? []
  const codeAt = (timestamp: number) =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp })
  expect(await send('/second-factor/confirm', { code: 'wrong' })).toMatchObject({ status: 401 })
  const grouped = codeAt(Date.now()).replace(/^.../, '$& ')
  const confirmed = await send('/second-factor/confirm', { code: grouped })
  expect(await send('/second-factor', {})).toMatchObject({ status: 409 })
  expect(await send('/second-factor')).toMatchObject({ location: '/' })
  const [, recoveryCode = ''] = /<li><code>([^<]+)</.exec(confirmed.text) ?? []

  const taken = await send('/sign-up', signUp)
  expect(alertOf(taken.text)).toMatch(/^There is already a user with this e-mail address: /)
  expect(await send('/sign-out', {})).toMatchObject({ status: 303, location: '/sign-in' })
  expect(cookies.size).toBe(0)
  const wrong = await send('/sign-in', { ...credentials, password: 'wrong' })
  expect(wrong).toMatchObject({ status: 401 })
  expect(alertOf(wrong.text)).toBe('The e-mail address or the password is wrong.')
  expect(await send('/sign-in', credentials)).toMatchObject({ location: '/sign-in/code' })
  expect(await send('/')).toMatchObject({ location: '/sign-in' })
  expect(await send('/sign-in/code', { code: '000000' })).toMatchObject({ status: 401 })
  const repeated = ['1', '2'].map((code): [string, string] => ['code', code])
  expect((await send('/sign-in/code', repeated)).status).toBeLessThan(500)
  expect(await send('/sign-in/code', { code: recoveryCode })).toMatchObject({ location: '/' })
  expect((await send('/')).text).toContain('You sign in with a second factor.')
  expect([...cookies.keys()].sort()).toEqual(['refresh_token', 'token'])

  // A server may close the connection of a client that still sends.
  const tooLarge = await send('/sign-in', { password: 'p'.repeat(2_000_000) }).then(
    ({ status }) => status,
    () => 'closed',
  )
  expect([413, 'closed']).toContain(tooLarge)
}
