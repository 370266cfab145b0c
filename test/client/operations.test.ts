import { type Client, dataOf, type Problem, type Result } from '@clientele/client'
import type { Mail, OpenApiDocument } from '@clientele/core'
import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readOperations } from '../http/generate-client/read-operations.ts'
import { anyDatabase, type OpenDatabase } from '../support/databases.ts'
import { type ClientWorld, newPerson, openWorld, password } from './client-world.ts'

/** Signs in a user without a second factor. */
async function logIn(client: Client, email: string) {
  const answer = dataOf(await client.logIn({ email, password }))
  if (answer.success_code !== 200) throw new Error('A second factor was asked for.')
  return answer.data
}

async function challengeOf(client: Client, email: string): Promise<string> {
  const answer = dataOf(await client.logIn({ email, password }))
  if (answer.success_code !== 202) throw new Error('No second factor was asked for.')
  return answer.data.challenge
}

const codeOf = ({ problem }: { problem?: Problem | undefined }) => problem?.code

describe.each(anyDatabase)('a client of a server on $name', ({ open }) => {
  let database: OpenDatabase
  let world: ClientWorld
  beforeAll(async () => {
    database = await open()
    world = await openWorld(database.url)
  })
  afterAll(async () => {
    await world.close()
    await database.close()
  })
  const mailed = async (kind: Mail['kind']) => {
    await expect.poll(() => world.mails.some((mail) => mail.kind === kind)).toBe(true)
    const mail = world.mails.findLast((each) => each.kind === kind)
    if (mail === undefined) throw new Error('No mail')
    return 'token' in mail ? mail.token : mail.code
  }

  test('users', async () => {
    const { client } = await world.createClient()
    const person = newPerson()
    const created = await client.createUser(person)
    const user = dataOf(created)
    expect(created.response?.status).toBe(201)
    expect(created.response?.headers.get('location')).toBe(`/api/v1/client/user/${user.id}`)
    const found = await client.findUser(user.id)
    expect(dataOf(found)).toEqual(user)
    const etag = found.response?.headers.get('etag') ?? ''
    const same = await client.findUser(user.id, { 'If-None-Match': etag })
    expect([same.response?.status, dataOf(same)]).toEqual([304, undefined])
    const patched = await client.patchUser(user.id, { name: 'Ada King' }, { 'If-Match': etag })
    expect(patched.data?.name).toBe('Ada King')
    expect(codeOf(await client.patchUser(user.id, { name: 'Ada B' }, { 'If-Match': etag }))).toBe(
      'precondition_failed',
    )
    expect(codeOf(await client.deleteUser(user.id, { 'If-Match': etag }))).toBe(
      'precondition_failed',
    )
    const { refresh_token } = await logIn(client, person.email)
    const { sid } = JSON.parse(
      Buffer.from(
        (await logIn(client, person.email)).token.split('.')[1] ?? '',
        'base64',
      ).toString(),
    )
    const next = { ...dataOf(await client.findUser(user.id)), roles: ['x'], password }
    expect(dataOf(await client.replaceUser(user.id, next, { keep_session: sid })).roles).toEqual([
      'x',
    ])
    expect(codeOf(await client.refreshSession({ refresh_token }))).toBe('refresh_token_invalid')
    expect(dataOf(await client.listSessions(user.id)).data.map(({ id }) => id)).toEqual([sid])
    expect(dataOf(await client.deactivateUser(user.id)).is_active).toBe(false)
    expect(dataOf(await client.listUsers({ is_active: true })).total).toBe(0)
    expect(dataOf(await client.activateUser(user.id)).is_active).toBe(true)
    expect(dataOf(await client.exportUser(user.id, { limit: 1 })).events).toHaveLength(1)
    const gone = dataOf(await client.createUser(newPerson()))
    expect((await client.deleteUser(gone.id)).response?.status).toBe(204)
    expect(codeOf(await client.findUser(gone.id))).toBe('user_not_found')
    expect(dataOf(await client.eraseUser(user.id)).id).toBe(user.id)
    expect(codeOf(await client.eraseUser(user.id))).toBe('user_not_found')
  })

  test('signing in, and the claims of a token', async () => {
    const { client, accountId } = await world.createClient()
    const person = newPerson()
    const user = dataOf(await client.createUser(person))
    const { token, refresh_token } = await logIn(client, person.email)
    expect(dataOf(await client.validateToken({ token: `Bearer ${token}` })).user).toEqual(user)
    const both = dataOf(await client.validateTokens({ tokens: [`Bearer ${token}`, token] }))
    expect(both.results.map(({ isValid }) => isValid)).toEqual([true, false])
    expect(dataOf(await client.introspectToken({ token }))).toMatchObject({ username: user.email })
    const refreshed = dataOf(await client.refreshSession({ refresh_token }))
    const again = { refresh_token: refreshed.data.refresh_token, password: person.password }
    const shown = dataOf(await client.reauthenticate(again))
    await client.logOut({ refresh_token: shown.data.refresh_token })
    const refused = await client.validateToken({ token: `Bearer ${token}` })
    expect(refused.problem).toMatchObject({ code: 'token_revoked', isValid: false, status: 401 })
    const [entry] = dataOf(await client.readRevocations({ limit: 1 })).data
    expect(entry?.type).toBe('session')
    await logIn(client, person.email)
    await logIn(client, person.email)
    const [session] = dataOf(await client.listSessions(user.id)).data
    dataOf(await client.revokeSession(user.id, session?.id ?? ''))
    expect(dataOf(await client.listSessions(user.id)).data).toHaveLength(1)
    expect(dataOf(await client.listDevices(user.id)).data).toEqual([])
    const nothing = '019dfae2-6a4d-7000-8000-000000000000'
    expect(codeOf(await client.removeDevice(user.id, nothing))).toBe('device_not_found')
    dataOf(await client.removeDevices(user.id))
    const script = { name: 'Script', scopes: ['deploy'] }
    const own = dataOf(await client.createUserToken(user.id, script))
    const renamed = dataOf(await client.renameUserToken(user.id, own.id, { name: 'CI' }))
    expect(dataOf(await client.listUserTokens(user.id)).data).toEqual([renamed])
    expect(dataOf(await client.exchangeToken({ token: own.token })).expires_in).toBe(600)
    dataOf(await client.revokeUserToken(user.id, own.id))
    dataOf(await client.revokeUserTokens(user.id))
    dataOf(await client.revokeSessions(user.id))
    expect(dataOf(await client.listSessions(user.id)).data).toEqual([])
    const acting = { actor: 'Support', reason: 'Ticket 4711' }
    const { token: another } = dataOf(await client.impersonateUser(user.id, acting))
    expect(dataOf(await client.introspectToken({ token: another }))).toMatchObject({
      act: { sub: 'Support' },
    })
    dataOf(await client.expirePassword(user.id))
    const expired = await client.logIn({ email: person.email, password: person.password })
    const data = Object(dataOf(expired).data)
    expect(data).toMatchObject({ password_change_required: true })
    const { challenge } = data
    dataOf(await client.changeExpiredPassword({ challenge, password: 'another password' }))
    expect(dataOf(await client.readJwks(accountId)).keys).toHaveLength(1)
    const { issuer } = dataOf(await client.readOpenIdConfiguration(accountId))
    expect(dataOf(await client.readServerMetadata(accountId)).issuer).toBe(issuer)
    expect(dataOf(await client.readOpenApi()).openapi).toMatch(/^3\.1/)
  })

  test('e-mail tokens', async () => {
    const { client } = await world.createClient()
    const person = newPerson()
    const user = dataOf(await client.createUser(person))
    const forgot = await client.forgotPassword({ email: user.email })
    expect([forgot.response?.status, dataOf(forgot)]).toEqual([202, undefined])
    dataOf(await client.resetPassword({ token: await mailed('password_reset'), password }))
    dataOf(await client.requestEmailVerification({ email: user.email }))
    dataOf(await client.confirmEmail({ token: await mailed('email_verification') }))
    expect(dataOf(await client.readEmailVerification(user.id)).email_verified_at).toMatch(/Z$/)
    expect(codeOf(await client.confirmEmail({ token: 'x' }))).toBe('verification_token_invalid')
    const email = `new-${user.email}`
    dataOf(await client.requestEmailChange(user.id, { email }))
    dataOf(await client.confirmEmailChange({ token: await mailed('email_change') }))
    expect(dataOf(await client.findUser(user.id)).email).toBe(email)
    dataOf(await client.undoEmailChange({ token: await mailed('email_change_notice') }))
    expect(dataOf(await client.findUser(user.id)).email).toBe(user.email)
    expect(codeOf(await client.undoEmailChange({ token: 'x' }))).toBe('email_change_invalid')
  })

  test('second factors', async () => {
    const { client } = await world.createClient()
    const person = newPerson()
    const user = dataOf(await client.createUser(person))
    const enrolled = dataOf(await client.enrolTotp(user.id, { qr: 'svg' }))
    expect(enrolled.qr_svg).toContain('<svg')
    const code = new TOTP({ secret: Secret.fromBase32(enrolled.secret) }).generate()
    expect(dataOf(await client.confirmTotp(user.id, { code })).recovery_codes).toHaveLength(10)
    const [recovery = ''] = dataOf(await client.renewRecoveryCodes(user.id)).recovery_codes
    dataOf(await client.enrolEmailFactor(user.id))
    const challenge = await challengeOf(client, person.email)
    dataOf(await client.mailTwoFactorCode({ challenge }))
    const mail = { challenge, method: 'email', code: await mailed('two_factor_code') } as const
    expect(dataOf(await client.completeTwoFactor(mail))).toMatchObject({ user })
    const second = await challengeOf(client, person.email)
    const wrong = { challenge: second, method: 'recovery_code', code: 'wrong' } as const
    expect(codeOf(await client.completeTwoFactor(wrong))).toBe('two_factor_code_invalid')
    dataOf(await client.completeTwoFactor({ ...wrong, code: recovery }))
    expect(dataOf(await client.readTwoFactor(user.id))).toEqual({
      totp: true,
      email: true,
      recovery_codes_left: 9,
    })
    dataOf(await client.removeTwoFactor(user.id))
    expect(dataOf(await client.readTwoFactor(user.id)).totp).toBe(false)
  })

  test('identities', async () => {
    const { client } = await world.createClient()
    const user = dataOf(await client.createUser(newPerson()))
    const identity = { issuer: 'https://id.example.com', subject: 'ada' }
    const linked = dataOf(await client.linkIdentity(user.id, identity))
    expect(dataOf(await client.listIdentities(user.id)).data).toEqual([linked])
    dataOf(await client.unlinkIdentity(user.id, linked.id))
    expect(codeOf(await client.unlinkIdentity(user.id, linked.id))).toBe('identity_not_found')
  })

  test('events and webhooks', async () => {
    const { client } = await world.createClient()
    const input = { url: `${world.baseUrl}/nobody`, types: ['user.*'] }
    const { secret, ...webhook } = dataOf(await client.createWebhook(input))
    expect(secret).toMatch(/^whsec_/)
    expect(dataOf(await client.listWebhooks()).data).toEqual([webhook])
    expect(dataOf(await client.findWebhook(webhook.id))).toEqual(webhook)
    expect(dataOf(await client.rotateWebhookSecret(webhook.id)).secret).not.toBe(secret)
    const patched = dataOf(await client.patchWebhook(webhook.id, { description: 'ours' }))
    expect(patched.description).toBe('ours')
    expect((await client.testWebhook(webhook.id)).response?.status).toBe(202)
    const feed = dataOf(await client.readEvents({ type: 'webhook.*' }))
    expect(feed.data[0]?.type).toBe('webhook.created')
    dataOf(await client.replayWebhook(webhook.id, { after: feed.next_cursor }))
    expect(dataOf(await client.listWebhookAttempts(webhook.id)).data).toEqual([])
    dataOf(await client.deleteWebhook(webhook.id))
    expect(codeOf(await client.findWebhook(webhook.id))).toBe('webhook_not_found')
  })

  test('the response of every operation matches the OpenAPI document', async () => {
    const { client, accountId } = await world.createClient({ retry: { count: 0 } })
    const document = await world.clientele.openApi()
    const methods = client as unknown as Record<
      string,
      (...given: unknown[]) => Promise<Result<unknown, string>>
    > // by the ids of the document
    const faults: unknown[] = []
    let problems = 0
    for (const operation of readOperations(document)) {
      const { id, path, method, pathNames, codes } = operation
      const input = exampleOf(document, path, method)
      const given = pathNames.map((name) => (name === 'account_id' ? accountId : 'nobody'))
      const result = await methods[id]?.(...given, ...(input === undefined ? [] : [input]))
      const { problem, response } = result ?? {}
      if (problem !== undefined) problems++
      if (problem !== undefined && !codes.includes(problem.code)) faults.push([id, problem])
      if (response === undefined) faults.push([id, 'no answer'])
    }
    expect(faults).toEqual([])
    expect(problems).toBeGreaterThan(20)
  })
})

/** The example that the document has of an operation's body. */
function exampleOf({ paths }: OpenApiDocument, path: string, method: string): unknown {
  const { requestBody } = paths[path]?.[method.toLowerCase()] ?? {}
  return Object.values(requestBody?.content ?? {})[0]?.example
}
