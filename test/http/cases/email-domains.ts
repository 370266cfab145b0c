import { expect } from 'vitest'
import { logIn } from '../../support/log-in.ts'
import { created, invalid, later, oneUser, problem } from '../support/answers.ts'
import { ada, type Case, flow, newAda, row } from './case.ts'
import { accepts, type Issue, refuses } from './create-case.ts'

const notEmail: Issue = ['/email', 'format', 'must be an e-mail address']
const spellings = [
  'ada@münchen.de',
  'ada@xn--mnchen-3ya.de',
  'ADA@XN--MNCHEN-3YA.DE',
  ' Ada@MÜNCHEN.DE',
  'ada@mu\u0308nchen.de',
]

/** One domain has two spellings, in letters and in ASCII (IDNA), and is one domain. */
export const emailDomainCases: readonly Case[] = [
  ...spellings.map((email) =>
    flow(
      `an e-mail is taken in every spelling of its domain: ${JSON.stringify(email)}`,
      async (world) => {
        const user = { ...ada, email: 'ada@münchen.de' }
        await world.check({ method: 'POST', json: { ...newAda, email } }, created(user))
        for (const other of spellings) {
          await world.check(
            { method: 'POST', json: { ...newAda, email: other } },
            problem('email_taken'),
          )
          const query = new URLSearchParams({ email: other })
          const { body } = await world.send({ path: `/client/user?${query}` })
          expect(JSON.parse(body)).toMatchObject({ data: [user], total: 1 })
          const credentials = { email: other, password: newAda.password }
          expect(await logIn(world.clientele, world.account.id, credentials)).toHaveProperty('user')
        }
      },
    ),
  ),
  flow('another spelling of the user’s own e-mail is no change', async (world) => {
    const user = await world.createUser('ada@münchen.de')
    world.clock.now += 1000
    const path = `/client/user/${user.id}`
    await world.check({ method: 'PATCH', path, json: { email: spellings[1] } }, oneUser(user))
    await world.check(
      { method: 'PATCH', path, json: { email: 'ada@xn--bcher-kva.de' } },
      oneUser({ ...user, email: 'ada@bücher.de', updated_at: later }, 2),
    )
  }),
  // What is stored, and that it is stored in this form whichever is sent.
  ...(
    [
      ['x@straße.de', 'x@xn--strae-oqa.de', 'x@straße.de'],
      ['x@κωστας.gr', 'x@xn--mxarzcf2a.gr', 'x@κωστας.gr'],
      ['x@日本語.テスト', 'x@xn--wgv71a119e.xn--zckzah', 'x@日本語.テスト'],
      ['x@a.münchen.b.de', 'x@a.xn--mnchen-3ya.b.de', 'x@a.münchen.b.de'],
      // Letters of a capital only in IDNA
      ['x@ꭰꭱ.com', 'x@xn--58dc.com', 'x@ᎠᎡ.com'],
    ] as const
  ).map(([letters, inAscii, stored]) =>
    flow(`${letters} is ${inAscii}`, async (world) => {
      const user = await world.createUser(inAscii)
      expect(user.email).toBe(stored)
      await world.check(
        { method: 'POST', json: { ...newAda, email: letters } },
        problem('email_taken'),
      )
      await world.check(
        { method: 'POST', json: { ...newAda, email: stored } },
        problem('email_taken'),
      )
    }),
  ),
  // What letters of ours can't spell stays in ASCII.
  accepts('an e-mail of a domain with a symbol', { email: 'x@xn--ls8h.la' }),
  accepts('an e-mail of a domain that decodes to nothing', { email: 'x@xn--mnchen-3y.de' }),
  accepts('an e-mail of a domain like a number', { email: 'x@1.2.3.0x10' }),
  ...[
    'x@💩.la',
    // IDNA would map each of these to a domain that looks the same.
    'x@ｍünchen.de',
    'x@mün\u00adchen.de',
    'x@mün\u200dchen.de',
    'x@münchen\u3002de',
    'x@ﬁü.de',
    // Right to left, mixed as IDNA forbids
    'x@1אב.com',
  ].map((email) => refuses(`an e-mail like ${JSON.stringify(email)}`, { email }, notEmail)),
  // 63 octets are the most that a label may have, in ASCII.
  accepts('a domain whose label has 63 characters in ASCII', { email: `x@${'ü'.repeat(57)}.de` }),
  refuses('a domain whose label has 64 in ASCII', { email: `x@${'ü'.repeat(58)}.de` }, notEmail),
  ...longAddresses(),
]

function longAddresses(): Case[] {
  const local = 'a'.repeat(64)
  // In ASCII a label has seven characters more: xn-- and what says where the letter stands.
  const label = (length: number) => `${'b'.repeat(length - 8)}ü`
  const domain = (last: number) => `${label(63)}.${label(63)}.${label(last)}`
  const inAscii = (last: number) => new URL(`http://${domain(last)}`).hostname
  const longest = 254 - local.length - 1 - inAscii(20).length + 20
  return [
    row(
      'an e-mail of 254 characters in ASCII',
      { method: 'POST', json: { ...newAda, email: `${local}@${inAscii(longest)}` } },
      created({ ...ada, email: `${local}@${domain(longest)}` }),
    ),
    ...[domain, inAscii].map((spell) =>
      row(
        `an e-mail of 255 characters in ASCII, ${spell.name}`,
        { method: 'POST', json: { ...newAda, email: `${local}@${spell(longest + 1)}` } },
        invalid([
          '/email',
          'too_long',
          'must have at most 254 characters in both spellings of its domain',
        ]),
      ),
    ),
  ]
}
