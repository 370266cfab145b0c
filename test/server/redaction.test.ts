import { describe, expect, test } from 'vitest'
import { redact } from '../../packages/cli/src/server/logging/redact.ts'

const jwt = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIxIn0.MEUCIQ-_x'

describe("the server's log is without", () => {
  test.each([
    ['API keys', 'the key cu_live_0aBcDeFgHiJkLmN was used', 'cu_live'],
    ["users' own tokens", 'the token cut_live_0aBcDeFgHiJkLmN was used', 'cut_live'],
    ['tokens', `the token ${jwt} has ended`, 'eyJ'],
    [
      'what stands behind the name of a scheme',
      `sent Authorization: Basic ${btoa('a:b')} twice`,
      btoa('a:b'),
    ],
    ['secrets of webhooks', 'signed by whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'MfKQ9'],
    ['e-mail addresses', 'duplicate: (1, Ada.Lovelace+x@example.co.uk) exists', 'Lovelace'],
    ['e-mail addresses with letters of any script', 'for zoë@bücher.example', 'zoë'],
    ['e-mail addresses with combining marks', 'for asha@हिन्दी.भारत', 'asha'],
    ['e-mail addresses at a name that ends with a digit', 'for ada@db.srv1', 'srv1'],
    ['e-mail addresses at a short name with a digit', 'for ada@x.a1', 'ada'],
    ['e-mail addresses at a name that begins with a digit', 'for ada@x.2b, too', 'ada'],
    ['e-mail addresses at a name with a hyphen', 'for ada@x.a-b', 'ada'],
    ['e-mail addresses at a name of digits and a hyphen', 'for ada@x.1-2', 'ada'],
    ['e-mail addresses at a name of one letter', 'for ada@x.y', 'ada'],
    ['e-mail addresses at a name in the ASCII spelling', 'for ada@x.xn--fiqs8s', 'fiqs8s'],
    ['e-mail addresses with an apostrophe', "for o'brien@example.com", "o'"],
    ['password hashes', 'found $argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA', 'aGFzaA'],
    ['password hashes of bcrypt', 'found $2b$10$abcdefghijklmnopqrstuv', 'abcdef'],
    ['passwords in URLs', 'postgres://clientele:hunter2@localhost:5432/users', 'hunter2'],
    [
      'the rows that PostgreSQL tells of',
      'Key (account_id, name)=(1, Ada Lovelace) already exists.',
      'Ada',
    ],
    ['the rows that break a check', 'Failing row contains (1, Ada Lovelace,\n null).', 'Ada'],
  ])('%s', (_what, text, secret) => {
    expect(text).toContain(secret)
    for (const details of [{ text }, { error: { cause: { detail: text } } }, { list: [[text]] }])
      expect(JSON.stringify(redact(details))).not.toContain(secret)
  })

  test('members by their names, however deep they are', () => {
    const details = {
      headers: { authorization: 'x1', cookie: 'x2', 'set-cookie': ['x3'], 'x-api-key': 'x4' },
      user: { email: 'x5', password: 'x6', password_hash: 'x7', refresh_token: 'x8', Secret: 'x9' },
      sealed: {
        a: { b: { connectionString: 'x10', 'recovery-codes': ['x11'], challenge: 'x12' } },
      },
    }
    expect(JSON.stringify(redact(details))).not.toMatch(/x\d/)
  })
})

test.each([
  ['beginnings of tokens', '-eyJ'],
  ['beginnings of rows', 'Failing row contains ('],
  ['beginnings of keys', 'Key ('],
  ['letters before an @', 'a'],
  ['names before an @', 'a.'],
  ['domains', 'a@a.'],
  ['domains of numbers', 'a@1.'],
  ['digits of a domain', '1', `${'a'.repeat(64)}@1.`],
  ['numbers of a domain', '1.', `${'a'.repeat(64)}@`],
  ['addresses', '://:'],
])('a long text of %s is redacted quickly', (_what, part, before = '') => {
  // It is cut at the space.
  const first = (before + part.repeat(16_000 / part.length)).slice(0, 16_000)
  const text = `${first} ${part.repeat(200_000 / part.length)}`
  const startedAt = performance.now()
  const shown = JSON.stringify(redact({ text }))
  expect(performance.now() - startedAt).toBeLessThan(1_000)
  expect(shown.length).toBeLessThan(40_000)
})

test('a long text is not cut inside of an address', () => {
  const words = `${'word '.repeat(3_274)}ada.lovelace@example.com ${'word '.repeat(10)}`
  expect(words.indexOf('@')).toBeLessThan(16 * 1024)
  expect(words.indexOf('.com')).toBeGreaterThan(16 * 1024)
  expect(redact(words)).toBe(`${'word '.repeat(3_274).trim()} [redacted]`)
})

test('the rest of the log is unchanged', () => {
  const details = {
    requestId: '01a20261-636e-7657-98a6-fcbac285c000',
    status: 503,
    tokens: 3,
    isSecret: false,
    code: 'email_taken',
    stack: 'at f (/app/node_modules/.pnpm/pg-pool@3.14.0_pg@8.23.1/index.js:45:11)',
    url: 'postgres://db.example.com:5432/users',
    none: null,
    list: [1, 'two'],
  }
  expect(redact(details)).toEqual(details)
})
