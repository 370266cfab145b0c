import { createClient, dataOf } from '@clientele/client'
import { expect, onTestFinished, test } from 'vitest'
import { cliScript, startProcess } from '../support/start-process.ts'

const email = 'ada@example.com'

/** A server with one user, and the code that a wrong password gets behind these proxies. */
async function start(settings: Record<string, string>) {
  const environment = { PORT: '0', DATABASE_URL: 'sqlite::memory:', LOG_LEVEL: 'error' }
  const running = startProcess(cliScript, [], { ...environment, ...settings })
  onTestFinished(async () => {
    running.child.kill('SIGTERM')
    await running.ended
  })
  const [, base = ''] = await running.waitFor(/^Listening on (\S+)$/m)
  const [, apiKey = ''] = await running.waitFor(/^API key: (\S+)$/m)
  const client = createClient({ baseUrl: base, apiKey })
  dataOf(await client.createUser({ name: 'Ada', email, password: 'correct horse' }))
  const fail = async (forwardedFor: string): Promise<string> => {
    const response = await fetch(`${base}/client/user/auth/login`, {
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

test.each([
  ['1', '203.0.113.1'],
  ['2', '203.0.113.1, 10.1.2.3'],
  ['loopback', '203.0.113.1'],
  ['loopback, 10.0.0.0/8', '203.0.113.1, 10.1.2.3'],
  ['loopback,uniquelocal,198.51.100.7', '203.0.113.1:4711, 198.51.100.7, 192.168.1.1'],
  ['127.0.0.1,2001:db8::/32', '203.0.113.1, [2001:db8::2]:443'],
])(
  'TRUST_PROXY=%s: %s is the client at the left, whatever it writes before that',
  async (trust, way) => {
    const { fail, failOften } = await start({ TRUST_PROXY: trust })
    await failOften((count) => `198.18.0.${count}, ${way}`)
    expect(await fail(`198.18.0.99, ${way}`)).toBe('rate_limited')
    expect(await fail(way.replace('203.0.113.1', '203.0.113.2'))).toBe('credentials_invalid')
  },
)

test.each([
  ['nothing', {}],
  ['0', { TRUST_PROXY: '0' }],
  ['a proxy that is not there', { TRUST_PROXY: '10.0.0.0/8' }],
])(
  'with TRUST_PROXY at %s, a client that names other addresses is not believed',
  async (_, settings) => {
    const { fail, failOften } = await start(settings)
    await failOften((count) => `203.0.113.${count}`)
    expect(await fail('203.0.113.99')).toBe('rate_limited')
  },
)

test('what is no address counts for the proxy that passed it on', async () => {
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
  const running = startProcess(cliScript, [], { TRUST_PROXY: value })
  expect(await running.ended).toBe(2)
  expect(running.errors()).toMatch(/^TRUST_PROXY must be the number of proxies/)
})
