import { expect } from 'vitest'
import { invalid } from '../support/answers.ts'
import { type Case, flow, newAda, row } from './case.ts'
import { accepts, type Issue, refuses } from './create-case.ts'

const controls = 'must not contain control characters'
const tooLong = (pointer: string, most: number): Issue => [
  pointer,
  'too_long',
  `must have at most ${most} characters`,
]
/** One code point in NFC, and four as it is typed on some keyboards. */
const fourUnits = '\u03b1\u0313\u0300\u0345'
const marks = '\u0301'.repeat(30_000)

/** How long a text may be before anything looks at it, and which characters a line of text has not. */
export const textBoundCases: readonly Case[] = [
  accepts(
    'a name of 50 code points in its longest spelling',
    { name: fourUnits.repeat(50) },
    { name: '\u1f82'.repeat(50) },
  ),
  accepts(
    'a password of 100 code points in its longest spelling',
    { password: fourUnits.repeat(100) },
    {},
  ),
  accepts('a name among 197 blanks', { name: `${' '.repeat(197)}Ada` }, { name: 'Ada' }),
  // Trimming would make a good one of each: they are refused unread.
  refuses('a name among 198 blanks', { name: `${' '.repeat(198)}Ada` }, tooLong('/name', 50)),
  refuses(
    'an e-mail among 1,002 blanks',
    { email: `${' '.repeat(1002)}ada@example.com` },
    tooLong('/email', 254),
  ),
  refuses(
    'marks without end',
    { name: `e${marks}`, email: 'ada@example.com', password: 'secret1' },
    tooLong('/name', 50),
  ),
  refuses('an e-mail of marks without end', { email: `e${marks}` }, tooLong('/email', 254)),
  refuses('a password of marks without end', { password: `e${marks}` }, tooLong('/password', 100)),
  row(
    'sign-in: marks without end',
    {
      method: 'POST',
      path: '/client/user/auth/login',
      json: { email: `e${marks.slice(0, 2000)}`, password: `e${marks}` },
    },
    invalid(tooLong('/email', 320), tooLong('/password', 1000)),
  ),
  row(
    'reset: an e-mail of marks without end',
    {
      method: 'POST',
      path: '/client/user/auth/password/forgot',
      json: { email: `e${marks}` },
    },
    invalid(tooLong('/email', 320)),
  ),
  row(
    'lists: a search among 1,016 blanks',
    { path: `/client/user?q=${'+'.repeat(1016)}a` },
    invalid(tooLong('/q', 254)),
  ),
  flow('lists: a search among 1,015 blanks', async (world) => {
    const user = await world.createUser()
    const { body } = await world.send({ path: `/client/user?q=${'+'.repeat(1015)}a` })
    expect(JSON.parse(body)).toMatchObject({ data: [user], total: 1 })
  }),

  // --- control characters
  ...['\u0001', '\t', '\n', '\r', '\u001f', '\u007f', '\u0085', '\u009f', '\u2028', '\u2029'].map(
    (control) =>
      refuses(
        `U+${control.charCodeAt(0).toString(16).padStart(4, '0')} in a name and a role`,
        { name: `Ada${control}Byron`, roles: ['a', `b${control}`, control] },
        ['/name', 'text_not_allowed', controls],
        ['/roles/1', 'text_not_allowed', controls],
        ['/roles/2', 'text_not_allowed', controls],
      ),
  ),
  accepts('joiners and marks of direction in a name', { name: 'A\u200dd\u200ea' }),
  flow('control characters in a replacement and a patch', async (world) => {
    const { id } = await world.createUser()
    const path = `/client/user/${id}`
    const issues: Issue[] = [
      ['/name', 'text_not_allowed', controls],
      ['/roles/0', 'text_not_allowed', controls],
    ]
    const json = { name: 'Ada\u2028Byron', roles: ['a\u0007'] }
    await world.check({ method: 'PUT', path, json: { ...newAda, ...json } }, invalid(...issues))
    await world.check({ method: 'PATCH', path, json }, invalid(...issues))
  }),
]
