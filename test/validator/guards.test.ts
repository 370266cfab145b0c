import type { Clientele, TokenValidator } from '@clientele/core'
import { createGuard } from '@clientele/core'
import { createValidator, type Validator } from '@clientele/validator'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { send as sendRaw } from '../http/support/send.ts'
import { targets } from '../http/targets/all.ts'
import type { StartedTarget } from '../http/targets/target.ts'
import { openClientele } from '../keys/open-clientele.ts'
import { anyDatabase, type OpenDatabase } from '../support/databases.ts'
import { logIn } from '../support/log-in.ts'

const email = 'ada@example.com'
const password = 'correct horse'

interface Tenant {
  accountId: string
  userId: string
  token: string
}

async function addTenant(clientele: Clientele): Promise<Tenant> {
  const accountId = (await clientele.accounts.create({ name: 'Acme' })).id
  const { user } = await clientele.users.create(accountId, { name: 'Ada', email, password })
  const { token } = await logIn(clientele, accountId, { email, password })
  return { accountId, userId: user.id, token }
}

describe.each(anyDatabase)('guards on $name', ({ open }) => {
  let database: OpenDatabase
  let clientele: Clientele

  beforeAll(async () => {
    database = await open()
    clientele = await openClientele(database.url)
  })
  afterAll(async () => {
    await clientele.close()
    await database.close()
  })

  test('the claims of a token are frozen: later requests with the same token share them', async () => {
    const { accountId, token } = await addTenant(clientele)
    const { claims } = await clientele.auth.validateToken(accountId, token)
    expect(() => Object.assign(claims.amr ?? [], ['otp'])).toThrow(TypeError)
    expect(() => Object.assign(claims, { tenant: 'owner' })).toThrow(TypeError)
    expect((await clientele.auth.validateToken(accountId, token)).claims).toEqual(claims)
  })

  describe.each(targets)('$name', (target) => {
    describe.each(['clientele', 'validator'] as const)('of a %s', (kind) => {
      let tenant: Tenant
      let server: StartedTarget
      let validator: Validator | undefined
      /** What the validator throws in place of its answer, if anything */
      let fault: unknown

      beforeAll(async () => {
        tenant = await addTenant(clientele)
        const { accountId } = tenant
        // The routes, which the validator asks, are served beside the guard that asks the validator.
        const late: TokenValidator = {
          validate: async (token) => {
            if (fault !== undefined) throw fault
            if (validator === undefined) throw new Error('There is no validator yet.')
            return validator.validate(token)
          },
        }
        server = await target.start(clientele, 'prefix', kind === 'validator' ? late : undefined)
        if (kind === 'clientele') return
        const { apiKey } = await clientele.apiKeys.create(accountId, {
          scopes: ['tokens:validate'],
        })
        const issuer = `urn:clientele:account:${accountId}`
        const baseUrl = server.origin + server.prefix
        validator = await createValidator({ issuer, apiKey, baseUrl, onStale: 'reject' })
      })
      afterAll(async () => {
        await validator?.close()
        await server.close()
      })

      const me = async (...headers: string[]) => {
        const {
          status,
          headers: answered,
          body,
        } = await sendRaw(server.origin, {
          path: '/me',
          headers,
        })
        const code = status === 200 ? undefined : JSON.parse(body).code
        return { status, code, body, headers: answered }
      }
      const withToken = (token: string) => me('authorization', `Bearer ${token}`)
      const challenge = { 'www-authenticate': 'Bearer', 'x-request-id': expect.any(String) }

      test('admits a valid token, and sets its user', async () => {
        const { userId, token } = tenant
        const whole = kind === 'clientele' ? email : undefined
        expect(await me('authorization', `bearer  ${token}`)).toMatchObject({
          status: 200,
          body: `${userId} ${whole} ${decodeJwt(token).sid}`,
        })
      })

      test('refuses invalid tokens, by the same problems', async () => {
        const { token } = tenant
        for (const header of [undefined, 'Bearer', 'Basic YTpi', token]) {
          const sent = header === undefined ? [] : ['authorization', header]
          const refused = { status: 401, code: 'token_missing', headers: challenge }
          expect(await me(...sent)).toMatchObject(refused)
        }
        const spaced = { status: 401, code: 'token_malformed', headers: challenge }
        expect(await me('authorization', `Bearer ${token} x`)).toMatchObject(spaced)
        expect(await withToken('x')).toMatchObject(spaced)
        for (const [mistake, text] of [
          ['cu_live_x', "This is an API key: send a user's token, "],
          ['cut_live_x', "user's own"],
        ] as const) {
          const told = await withToken(mistake)
          expect(told).toMatchObject(spaced)
          expect(JSON.parse(told.body).detail).toContain(text)
        }
        const twice = await me('authorization', `Bearer ${token}`, 'authorization', 'x')
        expect(twice).toMatchObject({ status: 400, code: 'header_repeated' })
        const [head, payload, signature = ''] = token.split('.')
        const flipped = `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`
        expect(await withToken(`${head}.${payload}.${flipped}`)).toMatchObject({
          ...{ status: 401, code: 'token_signature_invalid', headers: challenge },
        })
      })

      test('refuses a token of a session that has ended', async () => {
        const { accountId } = tenant
        const { token, refreshToken } = await logIn(clientele, accountId, { email, password })
        expect(await withToken(token)).toMatchObject({ status: 200 })
        await clientele.auth.logOut(accountId, { refreshToken })
        // The validator hears of it a moment later.
        await expect
          .poll(async () => (await withToken(token)).code, { timeout: 10_000 })
          .toBe('token_revoked')
      })

      // A guard of a Clientele takes the users of all accounts, and what it cannot say is a fault of the database.
      if (kind === 'clientele') return

      test('it refuses users of another account', async () => {
        const other = await addTenant(clientele)
        expect(await withToken(other.token)).toMatchObject({
          ...{ status: 401, code: 'token_unknown_key', headers: challenge },
        })
      })

      test('reports that validation is unavailable, and hides no fault', async () => {
        fault = Object.assign(new Error('secret'), { code: 'validator_unavailable' })
        const answer = await withToken(tenant.token)
        expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
        expect(answer.code).toBe('validator_unavailable')
        expect(answer.body).not.toContain('secret')
        fault = undefined
        expect(await withToken(tenant.token)).toMatchObject({ status: 200 })
      })
    })
  })

  test('a guard of one account refuses other accounts’ users, although its key could validate them', async () => {
    const [ours, theirs] = [await addTenant(clientele), await addTenant(clientele)]
    // It takes the tokens of both.
    const both: TokenValidator = {
      validate: (token) => clientele.auth.validateToken(String(decodeJwt(token).aud), token),
    }
    const guard = createGuard(both, { accountId: ours.accountId })
    const ask = ({ token }: Tenant) => {
      const authorization = `Bearer ${token}`
      return guard({ headers: { authorization }, rawHeaders: ['authorization', authorization] })
    }
    expect(await ask(ours)).toMatchObject({ clientUserId: ours.userId, clientUser: undefined })
    const refused = await ask(theirs)
    const body = 'response' in refused ? refused.response.body : ''
    expect(JSON.parse(body ?? '')).toMatchObject({ status: 401, code: 'token_unknown_key' })
  })

  test('an error without one of our codes goes to the host', async () => {
    const fault = new Error('a fault')
    const guard = createGuard({ validate: () => Promise.reject(fault) })
    const request = { headers: { authorization: 'Bearer x' }, rawHeaders: [] }
    await expect(guard(request)).rejects.toBe(fault)
  })
})
