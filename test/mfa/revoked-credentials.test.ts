import { randomUUID } from 'node:crypto'
import type { Clientele } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toRecords } from '../import/import-world.ts'
import { send } from '../keys/open-clientele.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { bySecret, IssuerWorld, signBySecret } from '../support/issuer-world.ts'

/** A user with one of each credential and token. */
interface Holder {
  clientele: Clientele
  accountId: string
  key: string
  id: string
  email: string
  kept: Session
  other: Session
  challenge: string
  mailedCode: string
  issuersToken: string
  resetToken: string
  secondResetToken: string
  verificationToken: string
}

interface Session {
  token: string
  refreshToken: string
  id: string
}

const password = 'another password'
const keep = ({ kept }: Holder) => `?keep_session=${kept.id}`
const profile = ({ email }: Holder) => ({ name: 'Ada', email })
const at = ({ id }: Holder, more = '') => `/client/user/${id}${more}`

async function call(holder: Holder, method: string, path: string, body?: unknown) {
  const { status } = await send(holder.clientele, method, path, { key: holder.key, body })
  expect(status).toBeLessThan(300)
}

async function importAgain(holder: Holder, values: object): Promise<void> {
  const records = toRecords([{ ...profile(holder), ...values }])
  const result = await holder.clientele.users.import(holder.accountId, records, {
    onConflict: 'update',
  })
  expect(result).toMatchObject({ updated: 1, skipped: 0 })
}

/** Every way in which a password changes or a user is shut out. */
const paths: { name: string; change: (holder: Holder) => Promise<void>; keeps?: true }[] = [
  {
    name: 'PUT with a password',
    change: (holder) => call(holder, 'PUT', at(holder), { ...profile(holder), password }),
  },
  {
    name: 'PATCH with a password',
    change: (holder) => call(holder, 'PATCH', at(holder), { password }),
  },
  {
    name: 'PUT with a password and a session to keep',
    change: (holder) =>
      call(holder, 'PUT', at(holder, keep(holder)), { ...profile(holder), password }),
    keeps: true,
  },
  {
    name: 'PATCH with a password and a session to keep',
    change: (holder) => call(holder, 'PATCH', at(holder, keep(holder)), { password }),
    keeps: true,
  },
  {
    name: 'a reset',
    change: (holder) =>
      call(holder, 'POST', '/client/user/auth/password/reset', {
        token: holder.secondResetToken,
        password,
      }),
  },
  {
    name: 'an import with another password',
    change: (holder) => importAgain(holder, { password }),
  },
  {
    name: 'a deactivation',
    change: (holder) => call(holder, 'POST', at(holder, '/deactivate')),
  },
  {
    name: 'PUT that deactivates',
    change: (holder) => call(holder, 'PUT', at(holder), { ...profile(holder), is_active: false }),
  },
  {
    name: 'PATCH that deactivates, whatever session is to be kept',
    change: (holder) => call(holder, 'PATCH', at(holder, keep(holder)), { is_active: false }),
  },
  {
    name: 'an import that deactivates',
    change: (holder) => importAgain(holder, { isActive: false }),
  },
  {
    name: 'a deletion',
    change: (holder) => call(holder, 'DELETE', at(holder)),
  },
]

/** What is true of each credential while it is worth something, and what is said of it afterwards. */
const alive = {
  kept: 200,
  keptRefresh: 200,
  other: 200,
  otherRefresh: 200,
  issuersToken: 200,
  challenge: 200,
  resetToken: 204,
  verificationToken: 204,
}
const dead = {
  kept: 'token_revoked',
  keptRefresh: 'refresh_token_invalid',
  other: 'token_revoked',
  otherRefresh: 'refresh_token_invalid',
  issuersToken: 'token_revoked',
  challenge: 'challenge_invalid',
  resetToken: 'reset_token_invalid',
  verificationToken: 'verification_token_invalid',
}

describe.each(databases)('credentials on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new IssuerWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  async function addHolder(): Promise<Holder> {
    const { clientele, mailed } = await world.start()
    const { accountId, user, credentials } = await world.addUser(clientele)
    const { apiKey: key } = await clientele.apiKeys.create(accountId)
    await clientele.trustedIssuers.create(accountId, bySecret)
    // The first proof of an address ends more than these changes.
    await world.proveAddress(accountId, user.email)
    // A token of the second in which its user was made is refused.
    world.now += 2_000
    const post = async (path: string, body: object) =>
      (await send(clientele, 'POST', `/client/user/${path}`, { key, body })).body
    const kept = await openSession(post, credentials)
    const other = await openSession(post, credentials)
    await post(`${user.id}/two-factor/email`, {})
    const { challenge } = (await post('auth/login', credentials)).data as { challenge: string } // as the contract has it
    await post('auth/login/two-factor/email', { challenge })
    for (let time = 0; time < 2; time++) await post('auth/password/forgot', { email: user.email })
    await post('auth/email/verification', { email: user.email })
    return {
      clientele,
      accountId,
      key,
      id: user.id,
      email: user.email,
      kept,
      other,
      challenge,
      mailedCode: await mailed('two_factor_code'),
      issuersToken: await signBySecret(user.id, world.seconds),
      resetToken: await mailed('password_reset', 0),
      secondResetToken: await mailed('password_reset', 1),
      verificationToken: await mailed('email_verification'),
    }
  }

  /** Uses everything that the holder has; a reset last, which ends the rest. */
  async function useAll(holder: Holder): Promise<Record<string, unknown>> {
    const { clientele, key } = holder
    const use = async (path: string, body: object) => {
      const answer = await send(clientele, 'POST', `/client/user/auth/${path}`, { key, body })
      return answer.status < 300 ? answer.status : answer.body.code
    }
    const validate = (token: string) => use('validation-token', { token: `Bearer ${token}` })
    return {
      kept: await validate(holder.kept.token),
      keptRefresh: await use('refresh', { refresh_token: holder.kept.refreshToken }),
      other: await validate(holder.other.token),
      otherRefresh: await use('refresh', { refresh_token: holder.other.refreshToken }),
      issuersToken: await validate(holder.issuersToken),
      challenge: await use('login/two-factor', {
        challenge: holder.challenge,
        method: 'email',
        code: holder.mailedCode,
      }),
      verificationToken: await use('email/verification/confirm', {
        token: holder.verificationToken,
      }),
      resetToken: await use('password/reset', {
        token: holder.resetToken,
        password: 'by the old mail',
      }),
    }
  }

  test('a new name ends none of them', async () => {
    const holder = await addHolder()
    await call(holder, 'PATCH', at(holder), { name: `Ada ${randomUUID().slice(0, 8)}` })
    await importAgain(holder, { name: 'Countess' })
    expect(await useAll(holder)).toEqual(alive)
  })

  test.each(paths)('$name ends all of them', async ({ name, change, keeps }) => {
    const holder = await addHolder()
    await change(holder)
    const isDeleted = name === 'a deletion'
    // What has ended stays so once a block is lifted.
    if (!isDeleted) await call(holder, 'POST', at(holder, '/activate'))
    const { kept, keptRefresh } = alive
    const gone = 'token_user_not_found'
    expect(await useAll(holder)).toEqual({
      ...dead,
      ...(keeps && { kept, keptRefresh }),
      ...(isDeleted && { kept: gone, other: gone, issuersToken: gone }),
    })
  })
})

async function openSession(
  post: (path: string, body: object) => Promise<Record<string, unknown>>,
  credentials: object,
): Promise<Session> {
  const { data } = await post('auth/login', credentials)
  const { token, refresh_token: refreshToken } = data as { token: string; refresh_token: string } // as the contract has it
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  return { token, refreshToken, id: claims.sid }
}
