import { randomUUID } from 'node:crypto'
import type { Clientele, ClienteleOptions, Mail } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf } from '../keys/open-clientele.ts'
import { anyDatabase, type OpenDatabase } from '../support/databases.ts'
import { SignInWorld } from '../support/sign-in-world.ts'

/** How many mails of an account are sent at once, and how many wait */
const [atOnce, waiting] = [16, 984]

const newEmail = () => `${randomUUID()}@example.com`

describe.each(anyDatabase)('while an account has all its waiting mails, on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new SignInWorld(() => database.url)
  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  /** Starts a process whose mails can be made to hang. */
  async function start(options: Partial<ClienteleOptions> = {}) {
    let gate = Promise.withResolvers<void>()
    gate.resolve()
    const mails: Mail[] = []
    const sendMail = async (mail: Mail) => {
      mails.push(mail)
      await gate.promise
    }
    const { clientele } = await world.start({ sendMail, ...options })
    const { accountId, user, credentials } = await world.addUser(clientele)
    await clientele.accounts.setPolicy(accountId, { signIn: ['password', 'email_code'] })
    const hang = async () => {
      gate = Promise.withResolvers()
      const sent = mails.length + atOnce
      for (let count = 0; count < atOnce; count++)
        await clientele.users.invite(accountId, { name: 'Bob', email: newEmail() })
      await expect.poll(() => mails.length).toBe(sent)
    }
    const fill = async () => {
      await hang()
      const ask = () => clientele.auth.requestEmailVerification(accountId, { email: newEmail() })
      for (let count = 0; count < waiting; count += 41)
        await Promise.all(Array.from({ length: 41 }, ask))
    }
    const empty = async () => {
      gate.resolve()
      const ask = () => codeOf(clientele.auth.forgotPassword(accountId, { email: newEmail() }))
      await expect.poll(ask).toBeUndefined()
    }
    const mailed = async <K extends Mail['kind']>(kind: K): Promise<Extract<Mail, { kind: K }>> => {
      const find = () => mails.findLast((mail) => mail.kind === kind)
      await expect.poll(find).toBeDefined()
      return find() as Extract<Mail, { kind: K }> // by its kind
    }
    return { clientele, accountId, user, credentials, hang, fill, empty, mailed }
  }

  async function challengeOf(
    clientele: Clientele,
    {
      accountId,
      user,
      credentials,
    }: Pick<Awaited<ReturnType<typeof start>>, 'accountId' | 'user' | 'credentials'>,
  ) {
    await clientele.mfa.enrolEmail(accountId, user.id)
    return world.challengeOf(clientele, accountId, credentials)
  }

  test('a mail that is refused does not count against the limit of its kind', async () => {
    const once = { points: 1, windowSeconds: 900 }
    const started = await start({ rateLimits: { reset: once, mfa: once } })
    const { clientele, accountId, user, fill, empty } = started
    const { auth, users } = clientele
    const challenge = await challengeOf(clientele, started)
    const eve = { id: randomUUID(), name: 'Eve', email: newEmail() }
    await users.import(accountId, [{ line: 1, value: eve }])
    const asks = {
      reset: () => auth.forgotPassword(accountId, { email: user.email }),
      verification: () => auth.requestEmailVerification(accountId, { email: user.email }),
      'sign-in code': () => auth.mailSignInCode(accountId, { email: user.email }),
      'second factor': () => auth.mailMfaCode(accountId, { challenge }),
      'change of address': () =>
        users.requestEmailChange(accountId, user.id, { email: newEmail() }),
      invitation: () => users.sendInvitation(accountId, eve.id, {}),
    }
    const askAll = async () => {
      const codes: [string, string | undefined][] = []
      for (const [name, ask] of Object.entries(asks)) codes.push([name, await codeOf(ask())])
      return Object.fromEntries(codes)
    }
    const all = (code: string | undefined) =>
      Object.fromEntries(Object.keys(asks).map((name) => [name, code]))
    await fill()
    expect(await askAll()).toEqual(all('overloaded'))
    expect(await askAll()).toEqual(all('overloaded'))
    await empty()
    expect(await askAll()).toEqual(all(undefined))
    expect(await askAll()).toEqual(all('rate_limited'))
  })

  test('the codes that were mailed before stay valid', async () => {
    const started = await start()
    const { clientele, accountId, user, fill, empty, mailed } = started
    const { auth } = clientele
    const { challenge } = await auth.mailSignInCode(accountId, { email: user.email })
    const { code } = await mailed('sign_in_code')
    const second = await challengeOf(clientele, started)
    await auth.mailMfaCode(accountId, { challenge: second })
    const secondCode = (await mailed('two_factor_code')).code
    await fill()
    const refused = [
      auth.mailSignInCode(accountId, { email: user.email }),
      auth.mailMfaCode(accountId, { challenge: second }),
    ]
    expect(await Promise.all(refused.map(codeOf))).toEqual(['overloaded', 'overloaded'])
    const answer = { challenge: second, method: 'email', code: secondCode } as const
    expect(await codeOf(auth.completeMfa(accountId, answer))).toBeUndefined()
    expect(await codeOf(auth.logInWithCode(accountId, { challenge, code }))).toBeUndefined()
    await empty()
  })

  test('requests beyond a limit keep no place', async () => {
    const { clientele, accountId, user, hang, empty } = await start()
    await hang()
    const ask = (email: string) => codeOf(clientele.auth.mailSignInCode(accountId, { email }))
    const codes = await Promise.all(Array.from({ length: waiting }, () => ask(user.email)))
    expect(codes.filter((code) => code === undefined).length).toBeLessThanOrEqual(5)
    const others = await Promise.all(Array.from({ length: 100 }, () => ask(newEmail())))
    expect(others.filter((code) => code !== undefined)).toEqual([])
    await empty()
  })
})
