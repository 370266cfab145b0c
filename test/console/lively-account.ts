import type { Clientele } from '@clientele/core'
import { SoftwareAuthenticator } from '../passkeys/software-authenticator.ts'

const dayMs = 86_400_000
const givenNames =
  'Ada Grace Alan Barbara Edsger Margaret Donald Radia Niklaus Frances Tony Katherine Dennis Hedy Ken Sophie'
const familyNames =
  'Lovelace Hopper Turing Liskov Dijkstra Hamilton Knuth Perlman Wirth Allen Hoare Johnson Ritchie Lamarr Thompson Wilson'
const roles = ['admin', 'billing', 'editor', 'support']
const password = 'analytical engine'
const ada = { email: 'ada@example.com', password }

/** A clock that is set forward, day by day. */
export interface SetClock {
  now: number
}

/** Fills an account with what some days bring: users who come, sign in and mistype, and an account's own changes. */
export async function fillAccount(
  clientele: Clientele,
  accountId: string,
  clock: SetClock,
  days = 60,
): Promise<{ userId: string }> {
  const end = clock.now
  const [given, family] = [givenNames.split(' '), familyNames.split(' ')]
  const emails: string[] = []
  let userId = ''
  for (let day = days; day >= 0; day--) {
    const joins = 2 + ((day * 7) % 5) + (day < 20 ? 3 : 0)
    for (let index = 0; index < joins; index++) {
      clock.now = end - day * dayMs - (joins - index) * 1_900_000
      const number = emails.length
      const first = given[number % given.length] ?? ''
      const last = family[Math.floor(number / 3) % family.length] ?? ''
      const email = `${first}.${last}.${number}@example.com`.toLowerCase()
      await clientele.users.create(accountId, {
        ...{ name: `${first} ${last}`, email, password },
        roles: number % 3 === 0 ? [roles[number % roles.length] ?? ''] : [],
        metadata: number % 4 === 0 ? { plan: number % 8 === 0 ? 'pro' : 'team' } : {},
        isActive: number % 11 !== 0,
      })
      emails.push(email)
    }
    await signIn(clientele, accountId, emails, day)
    if (day === Math.min(3, days)) userId = await addAda(clientele, accountId, clock)
  }
  clock.now = end
  await clientele.auth.logIn(accountId, ada)
  return { userId }
}

/** Some sign in, and fewer at weekends; some mistype. */
async function signIn(
  clientele: Clientele,
  accountId: string,
  emails: readonly string[],
  day: number,
): Promise<void> {
  const count = Math.min(emails.length, day % 7 < 2 ? 4 : 9 + (day % 4) * 2)
  for (let index = 0; index < count; index++) {
    const email = emails[(day * 13 + index * 5) % emails.length] ?? ''
    const isWrong = (day + index) % 8 === 0
    const given = { email, password: isWrong ? 'analytic engine' : password }
    // Inactive users and mistyped passwords are refused: the console shows that, too.
    await clientele.auth.logIn(accountId, given).catch(() => undefined)
  }
}

/** Adds a user with something of everything. */
async function addAda(clientele: Clientele, accountId: string, clock: SetClock): Promise<string> {
  const { user } = await clientele.users.create(accountId, {
    ...{ ...ada, name: 'Ada Lovelace', roles: ['admin', 'billing'] },
    metadata: { plan: 'pro', seats: 12 },
  })
  const rp = { rpId: 'example.com', rpName: 'Acme', origins: ['https://example.com'] }
  await clientele.accounts.setPasskeys(accountId, rp)
  for (const name of ['MacBook', 'Phone']) {
    clock.now += 600_000
    const device = new SoftwareAuthenticator({ isSynced: name === 'Phone' })
    const { challenge, options } = await clientele.passkeys.beginEnrolment(accountId, user.id)
    const response = device.create(options)
    await clientele.passkeys.enrol(accountId, user.id, { challenge, response, name })
    const begun = await clientele.auth.beginPasskeyLogIn(accountId)
    const used = { challenge: begun.challenge, response: device.get(begun.options) }
    await clientele.auth.logInWithPasskey(accountId, used)
  }
  const google = { issuer: 'https://accounts.google.com', subject: '110169484474386276334' }
  await clientele.identities.link(accountId, user.id, google)
  return user.id
}
