import { once } from 'node:events'
import { createServer } from 'node:http'
import { createClient, dataOf } from '@clientele/client'
import { expect, onTestFinished, test } from 'vitest'
import { findClientAddress } from '../../packages/cli/src/server/find-client-address.ts'
import { readSettings } from '../../packages/cli/src/server/settings/read-settings.ts'
import { fetchAndClose } from '../support/fetch-and-close.ts'
import { runCommand } from '../support/run-command.ts'
import { runsEveryTest } from '../support/slow-tests.ts'
import { startServer } from '../support/start-server.ts'

const email = 'ada@example.com'

/** A server with one user, and the code that a wrong password gets behind these proxies. */
async function start(settings: Record<string, string>) {
  const environment = { PORT: '0', DATABASE_URL: 'sqlite::memory:', LOG_LEVEL: 'error' }
  const running = startServer({ ...environment, ...settings })
  onTestFinished(async () => {
    running.child.kill('SIGTERM')
    await running.ended
  })
  const [, base = ''] = await running.waitFor(/^Listening on (\S+)$/m)
  const [, apiKey = ''] = await running.waitFor(/^API key: (\S+)$/m)
  const client = createClient({ baseUrl: base, apiKey, fetch: fetchAndClose })
  dataOf(await client.createUser({ name: 'Ada', email, password: 'correct horse' }))
  const fail = async (forwardedFor: string): Promise<string> => {
    const response = await fetchAndClose(`${base}/client/user/auth/login`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        'x-forwarded-for': forwardedFor,
      },
      body: JSON.stringify({ email, password: 'wrong password' }),
    })
    const { code }: { code: string } = JSON.parse(await response.text())
    return code
  }
  /** As often as a client may fail. */
  const failOften = async (forwardedFor: (count: number) => string): Promise<void> => {
    for (let count = 0; count < 10; count++) {
      expect(await fail(forwardedFor(count))).toBe('credentials_invalid')
    }
  }
  return { fail, failOften }
}

/** What `TRUST_PROXY` is, and how a request comes from 203.0.113.1 */
const believed = [
  ['2', '203.0.113.1, 10.1.2.3'],
  ['1', '203.0.113.1'],
  ['loopback', '203.0.113.1'],
  ['loopback, 10.0.0.0/8', '203.0.113.1, 10.1.2.3'],
  ['loopback,uniquelocal,198.51.100.7', '203.0.113.1:4711, 198.51.100.7, 192.168.1.1'],
  ['127.0.0.1,2001:db8::/32', '203.0.113.1, [2001:db8::2]:443'],
] as const

/** Settings by which the header says nothing */
const notBelieved = [
  ['nothing', {}],
  ['0', { TRUST_PROXY: '0' }],
  ['a proxy that is not there', { TRUST_PROXY: '10.0.0.0/8' }],
] as const

/** Which address the server would count requests for that come from this machine. */
async function openFinder(settings: Record<string, string>) {
  const { trustProxy } = await readSettings({ DATABASE_URL: 'sqlite::memory:', ...settings })
  const server = createServer((request, response) => {
    response.end(trustProxy && findClientAddress(request, trustProxy))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  return async (forwardedFor: string): Promise<string> => {
    const headers = { 'x-forwarded-for': forwardedFor }
    return (await fetch(`http://127.0.0.1:${port}`, { headers })).text()
  }
}

test.each(believed)(
  'TRUST_PROXY=%s: the client of %s is the one at the left',
  async (trust, way) => {
    const find = await openFinder({ TRUST_PROXY: trust })
    expect(await find(way)).toBe('203.0.113.1')
    expect(await find(`198.18.0.99, ${way}`)).toBe('203.0.113.1')
    expect(await find(way.replace('203.0.113.1', '203.0.113.2'))).toBe('203.0.113.2')
  },
)

test.each(notBelieved)('with TRUST_PROXY at %s the header is ignored', async (_, settings) => {
  expect(await (await openFinder(settings))('203.0.113.1')).not.toContain('203.0.113.1')
})

test('an invalid address is replaced by that of the proxy that passed it on', async () => {
  const find = await openFinder({ TRUST_PROXY: '1' })
  expect(await find('not an address')).toBe('127.0.0.1')
  expect(await find('203.0.113.1, unknown')).toBe('127.0.0.1')
})

test('of the proxies in the header, twenty are read', async () => {
  const find = await openFinder({ TRUST_PROXY: 'loopback,uniquelocal' })
  const proxies = Array.from({ length: 25 }, (_, index) => `10.0.0.${index}`)
  expect(await find(['203.0.113.1', ...proxies.slice(0, 19)].join(','))).toBe('203.0.113.1')
  expect(await find(['203.0.113.1', ...proxies].join(','))).toBe('10.0.0.5')
  expect(await find(','.repeat(10_000))).toBe('127.0.0.1')
})

// A server each, and a dozen hashes: by default one that believes the header, and one that does not.
const some = <T>(cases: readonly T[]): readonly T[] => (runsEveryTest ? cases : cases.slice(0, 1))

test.each(some(believed))(
  'TRUST_PROXY=%s: failures of %s count for the client at the left, whatever it writes before that',
  async (trust, way) => {
    const { fail, failOften } = await start({ TRUST_PROXY: trust })
    await failOften((count) => `198.18.0.${count}, ${way}`)
    expect(await fail(`198.18.0.99, ${way}`)).toBe('rate_limited')
    expect(await fail(way.replace('203.0.113.1', '203.0.113.2'))).toBe('credentials_invalid')
  },
)

test.each(some(notBelieved))(
  'with TRUST_PROXY at %s, a client that names other addresses is not believed',
  async (_, settings) => {
    const { fail, failOften } = await start(settings)
    await failOften((count) => `203.0.113.${count}`)
    expect(await fail('203.0.113.99')).toBe('rate_limited')
  },
)

test.runIf(runsEveryTest)('an invalid address counts for the proxy that passed it on', async () => {
  const { fail, failOften } = await start({ TRUST_PROXY: '1' })
  await failOften((count) => `not an address ${count}`)
  expect(await fail('unknown')).toBe('rate_limited')
  expect(await fail('203.0.113.1')).toBe('credentials_invalid')
})

test.each([
  '-1',
  '21',
  'proxy.example.com',
  '10.0.0.0/33',
  '10.0.0.0/8/8',
  '10.0.0.1,,',
  'true',
  'constructor',
])('TRUST_PROXY=%s is refused', async (value) => {
  const { code, errors } = await runCommand(['serve'], { TRUST_PROXY: value })
  expect(code).toBe(2)
  expect(errors).toMatch(/^TRUST_PROXY must be the number of proxies/)
})
