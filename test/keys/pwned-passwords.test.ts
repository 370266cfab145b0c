import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ClienteleError, pwnedPasswords } from '@clientele/core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { LogRecorder, openClientele } from './open-clientele.ts'

const sha1 = (text: string) => createHash('sha1').update(text).digest('hex').toUpperCase()
const breached = 'password1'
const padding = 'this one is padding'

let requests: IncomingMessage[]
let answer: (request: IncomingMessage, response: ServerResponse) => void
let logger: LogRecorder
let url: string
let close: () => Promise<void>

beforeEach(async () => {
  requests = []
  logger = new LogRecorder()
  answer = (_, response) => {
    const lines = [`${'0'.repeat(35)}:3`, `${sha1(breached).slice(5)}:2413945`]
    response.end([...lines, `${sha1(padding).slice(5)}:0`].join('\r\n'))
  }
  const server = createServer((request, response) => {
    requests.push(request)
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/range/` // it listens on TCP
  close = () =>
    new Promise((resolve) => {
      server.closeAllConnections()
      server.close(() => resolve())
    })
})
afterEach(() => close())

test('a known password is refused, and only five characters of its hash go out', async () => {
  const isBreached = pwnedPasswords({ url, logger })
  expect(await isBreached(breached)).toBe(true)
  expect(await isBreached('a rather longer password')).toBe(false)
  expect(await isBreached(padding)).toBe(false)
  expect(requests[0]?.url).toBe(`/range/${sha1(breached).slice(0, 5)}`)
  expect(requests[0]?.headers['add-padding']).toBe('true')
  expect(logger.lines).toEqual([])
})

test('how often a password must have been seen can be set', async () => {
  expect(await pwnedPasswords({ url, minCount: 2_413_945 })(breached)).toBe(true)
  expect(await pwnedPasswords({ url, minCount: 2_413_946 })(breached)).toBe(false)
})

const failures: Record<string, (response: ServerResponse) => void> = {
  'answers 503': (response) => response.writeHead(503).end(),
  'never answers': () => {},
  'stops in the middle': (response) => response.write('0018A45C4D1DEF81644B54AB7F969B88D65:1\r\n'),
  'redirects elsewhere': (response) => response.writeHead(302, { location: '/other' }).end(),
  'answers without end': (response) => response.end('0'.repeat(2_000_000)),
  'breaks the connection': (response) => response.destroy(),
}

test.each(Object.entries(failures))(
  'a service that %s lets the password pass, with a warning',
  async (_, fail) => {
    answer = (_request, response) => fail(response)
    expect(await pwnedPasswords({ url, logger, timeoutSeconds: 0.2 })(breached)).toBe(false)
    expect(logger.lines.map(({ level }) => level)).toEqual(['warn'])
    expect(JSON.stringify(logger.lines)).not.toContain(sha1(breached).slice(0, 5))
  },
)

test('the check is off by default, and refuses a new password as invalid input when it is on', async () => {
  const input = { name: 'Ada', email: 'ada@example.com', password: breached }
  const off = await openClientele('sqlite::memory:')
  const account = await off.accounts.create({ name: 'Acme' })
  await off.users.create(account.id, input)
  expect(requests).toEqual([])
  await off.close()

  const on = await openClientele('sqlite::memory:', {
    passwords: { isBreached: pwnedPasswords({ url }) },
  })
  const { id } = await on.accounts.create({ name: 'Acme' })
  const error = await on.users.create(id, input).catch((thrown: unknown) => thrown)
  if (!(error instanceof ClienteleError)) throw error
  expect(error.issues).toEqual([
    { pointer: '/password', code: 'breached', message: 'is known from a data breach' },
  ])
  await on.close()
})
