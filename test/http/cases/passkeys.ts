import { expect } from 'vitest'
import {
  type Behaviour,
  SoftwareAuthenticator,
  site,
} from '../../passkeys/software-authenticator.ts'
import { invalid, lacking, noContent, notAllowed, plain, problem } from '../support/answers.ts'
import type { World } from '../support/world.ts'
import { absentId, type Case, flow, row } from './case.ts'

const of = (userId: string, passkeyId?: string) =>
  `/client/user/${userId}/passkey${passkeyId === undefined ? '' : `/${passkeyId}`}`
const logInPath = '/client/user/auth/login/passkey'
const post = (path: string, json: object) => ({ method: 'POST', path, json })
const noSuchUser = problem('user_not_found')
const noSuchPasskey = problem('passkey_not_found')
const signedIn = plain(
  /^\{"success_code":200,"data":\{"token":"[\w.-]+","token_type":"Bearer","expires_in":7200,"refresh_token":"[\w-]{91}","refresh_expires_in":\d+\},"user":\{"id":.*\}\}$/,
)

async function configure(world: World, more: object = {}): Promise<void> {
  await world.clientele.accounts.setPasskeys(world.account.id, { ...site, ...more })
}

async function begin(world: World, path: string, json: object = {}) {
  const { status, body } = await world.send(post(path, json))
  expect([status, body]).toEqual([200, expect.any(String)])
  return JSON.parse(body)
}

async function enrol(
  world: World,
  userId: string,
  authenticator = new SoftwareAuthenticator(),
  more: object = {},
) {
  const { challenge, options } = await begin(world, `${of(userId)}/options`, more)
  const response = authenticator.create(options)
  const { body } = await world.check(post(of(userId), { challenge, response, ...more }), {
    ...plain(
      /^\{"id":"[0-9a-f-]{36}","name":"[^"]+","use":"(first|second)_factor","created_at":"2026[^"]+Z","last_used_at":null,"backed_up":false,"transports":\["internal","hybrid"\]\}$/,
    ),
    status: 201,
  })
  return { authenticator, passkey: JSON.parse(body) as { id: string } }
}

async function answer(
  world: World,
  authenticator: SoftwareAuthenticator,
  { email, behaviour }: { email?: string; behaviour?: Behaviour } = {},
) {
  const begun = await begin(world, `${logInPath}/options`, email === undefined ? {} : { email })
  const { challenge, options } = begun
  return post(logInPath, { challenge, response: authenticator.get(options, behaviour) })
}

const amrOf = (body: string): unknown => {
  const [, claims = ''] = String(JSON.parse(body).data.token).split('.')
  return JSON.parse(Buffer.from(claims, 'base64url').toString()).amr
}

export const passkeyCases: readonly Case[] = [
  flow('passkeys: enrolled, listed, renamed, removed', async (world) => {
    await configure(world)
    const { id } = await world.createUser()
    const { passkey, authenticator } = await enrol(world, id)
    const listed = await world.check({ path: of(id) }, plain(/^\{"data":\[\{"id":.*\}\]\}$/))
    expect(JSON.parse(listed.body).data).toEqual([passkey])
    const renamed = { ...passkey, name: 'My phone' }
    await world.check(
      { method: 'PATCH', path: of(id, passkey.id), json: { name: ' My phone ' } },
      plain(JSON.stringify(renamed)),
    )
    await world.check(
      { method: 'PATCH', path: of(id, passkey.id), json: { name: '' } },
      invalid(['/name', 'too_short', 'must not be empty']),
    )
    const call = await answer(world, authenticator)
    await world.check({ method: 'DELETE', path: of(id, passkey.id) }, noContent)
    await world.check({ method: 'DELETE', path: of(id, passkey.id) }, noSuchPasskey)
    await world.check(
      { method: 'PATCH', path: of(id, passkey.id), json: { name: 'x' } },
      noSuchPasskey,
    )
    await world.check(call, problem('passkey_invalid'))
    const { data } = await world.clientele.events.read(world.account.id, { types: ['passkey.*'] })
    expect(data.map(({ type }) => type)).toEqual([
      'passkey.enrolled',
      'passkey.renamed',
      'passkey.removed',
    ])
  }),
  flow('passkeys: the options for the page', async (world) => {
    await configure(world)
    const { id } = await world.createUser()
    const begun = await begin(world, `${of(id)}/options`)
    expect(begun).toEqual({
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      options: {
        rp: { id: site.rpId, name: site.rpName },
        user: {
          id: Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url'),
          name: 'ada@example.com',
          displayName: 'Ada Lovelace',
        },
        challenge: expect.stringMatching(/^[\w-]{43}$/),
        pubKeyCredParams: [-8, -7, -257].map((alg) => ({ alg, type: 'public-key' })),
        timeout: 300_000,
        attestation: 'none',
        excludeCredentials: [],
        authenticatorSelection: expect.objectContaining({
          residentKey: 'preferred',
          userVerification: 'required',
        }),
        extensions: expect.anything(),
        hints: [],
      },
      expires_in: 300,
    })
    expect(begun.options.challenge).not.toBe(begun.challenge)
    await enrol(world, id)
    const again = await begin(world, `${of(id)}/options`)
    expect(again.options.excludeCredentials).toHaveLength(1)
    const anybody = await begin(world, `${logInPath}/options`)
    expect(anybody.options).toEqual({
      challenge: expect.any(String),
      rpId: site.rpId,
      timeout: 300_000,
      userVerification: 'required',
    })
  }),
  flow('passkeys: sign in without an e-mail and with one, each response once', async (world) => {
    await configure(world)
    const { id } = await world.createUser()
    const { authenticator } = await enrol(world, id)
    for (const email of [undefined, 'Ada@Example.com']) {
      const call = await answer(world, authenticator, email === undefined ? {} : { email })
      const { body } = await world.check(call, signedIn)
      expect(JSON.parse(body).user.id).toBe(id)
      expect(amrOf(body)).toEqual(['hwk', 'user'])
      await world.check(call, problem('challenge_invalid'))
    }
    const listed = await world.send({ path: of(id) })
    expect(JSON.parse(listed.body).data[0].last_used_at).toMatch(/^2026/)
  }),
  flow('passkeys: an invalid response does not sign in', async (world) => {
    await configure(world)
    const { id } = await world.createUser()
    const { authenticator } = await enrol(world, id)
    const wrong: Behaviour[] = [
      { origin: 'https://evil.example' },
      { origin: 'https://example.com.evil.example' },
      { rpId: 'evil.example' },
      { challenge: Buffer.alloc(32).toString('base64url') },
      { type: 'webauthn.create' },
      { isUserVerified: false },
      { isUserPresent: false },
      { userHandle: Buffer.alloc(16).toString('base64url') },
    ]
    for (const behaviour of wrong) {
      const call = await answer(world, authenticator, { behaviour })
      await world.check(call, problem('passkey_invalid'))
    }
    const call = await answer(world, authenticator)
    const other = await answer(world, authenticator)
    const mixed = { ...call.json, response: Object(other.json).response }
    await world.check(post(logInPath, mixed), problem('passkey_invalid'))
    await world.check(other, signedIn)
  }),
  flow('passkeys: a ceremony is valid for its purpose, user and account only', async (world) => {
    await configure(world)
    const ada = await world.createUser()
    const grace = await world.createUser('grace@example.com')
    const { authenticator } = await enrol(world, ada.id)
    const enrolment = await begin(world, `${of(ada.id)}/options`)
    const response = new SoftwareAuthenticator().create(enrolment.options)
    const call = { challenge: enrolment.challenge, response }
    await world.check(post(of(grace.id), call), problem('challenge_invalid'))
    // It was good for one try.
    await world.check(post(of(ada.id), call), problem('challenge_invalid'))
    const logIn = await begin(world, `${logInPath}/options`)
    const asEnrolment = { challenge: logIn.challenge, response }
    await world.check(post(of(ada.id), asEnrolment), problem('challenge_invalid'))
    const used = authenticator.get(logIn.options)
    const other = await begin(world, `${of(ada.id)}/options`)
    await world.check(
      post(logInPath, { challenge: other.challenge, response: used }),
      problem('challenge_invalid'),
    )
    const { key, account } = await world.otherTenant()
    await world.clientele.accounts.setPasskeys(account.id, site)
    const mine = { challenge: logIn.challenge, response: used }
    await world.check({ ...post(logInPath, mine), key }, problem('challenge_invalid'))
    await world.check(post(logInPath, mine), signedIn)
    // Options for one user, a passkey of another
    const asked = await answer(world, authenticator, { email: 'grace@example.com' })
    await world.check(asked, problem('passkey_invalid'))
    const late = await answer(world, authenticator)
    world.clock.now += 300_000
    await world.check(late, problem('challenge_invalid'))
  }),
  flow('passkeys: an unknown e-mail is answered like any other', async (world) => {
    await configure(world)
    const { id } = await world.createUser()
    await world.createUser('grace@example.com')
    const { authenticator } = await enrol(world, id)
    const ask = (email: string) => begin(world, `${logInPath}/options`, { email })
    for (const email of ['nobody@example.com', 'grace@example.com']) {
      const { challenge, options } = await ask(email)
      expect(options.allowCredentials.length).toBeGreaterThan(0)
      for (const credential of options.allowCredentials)
        expect(credential).toEqual({
          id: expect.stringMatching(/^[\w-]{22,86}$/),
          type: 'public-key',
        })
      expect((await ask(email)).options.allowCredentials).toEqual(options.allowCredentials)
      const response = authenticator.get(options)
      await world.check(post(logInPath, { challenge, response }), problem('passkey_invalid'))
    }
    const known = await ask('ada@example.com')
    expect(known.options.allowCredentials).toEqual([
      { id: expect.stringMatching(/^[\w-]{22}$/), type: 'public-key' },
    ])
    const failed = { types: ['user.login_failed'] }
    const { data } = await world.clientele.events.read(world.account.id, failed)
    expect(data.map(({ data: { email } }) => email)).toEqual([
      'nobody@example.com',
      'grace@example.com',
    ])
  }),
  flow(
    'passkeys: failures are limited for any e-mail, and the right one signs in',
    async (world) => {
      await configure(world)
      const { id } = await world.createUser()
      const { authenticator } = await enrol(world, id)
      const behaviour = { isUserVerified: false }
      for (const email of ['nobody@example.com', 'ada@example.com']) {
        for (let count = 0; count < 10; count++) {
          const call = await answer(world, authenticator, { email, behaviour })
          await world.check(call, problem('passkey_invalid'))
        }
        const { status } = await world.send(
          await answer(world, authenticator, { email, behaviour }),
        )
        expect(status).toBe(429)
      }
      // Nobody guesses a signature: a stranger's failures keep no user out.
      await world.check(await answer(world, authenticator, { email: 'ada@example.com' }), signedIn)
      // The password is another door.
      await world.logIn()
    },
  ),
  flow('passkeys: as a second factor', async (world) => {
    await configure(world)
    const { id } = await world.createUser()
    const key = new SoftwareAuthenticator({ isUserVerified: false })
    await enrol(world, id, key, { use: 'second_factor' })
    const login = post('/client/user/auth/login', {
      email: 'ada@example.com',
      password: 'correct horse',
    })
    const { status, body } = await world.send(login)
    const { challenge, methods } = JSON.parse(body).data
    expect([status, methods]).toEqual([202, ['passkey']])
    const second = '/client/user/auth/login/two-factor'
    const { options, expires_in } = await begin(world, `${second}/passkey`, { challenge })
    expect([options.userVerification, expires_in]).toEqual(['discouraged', 300])
    // It does not sign in on its own.
    await world.check(await answer(world, key), problem('passkey_invalid'))
    const method = 'passkey'
    const foreign = key.get(options, { origin: 'https://evil.example' })
    await world.check(
      post(second, { challenge, method, response: foreign }),
      problem('passkey_invalid'),
    )
    await world.check(
      post(second, { challenge, method, code: '123456' }),
      invalid(
        ['/response', 'required', 'is required'],
        ['/code', 'unrecognized', 'is not allowed with this method'],
      ),
    )
    const right = post(second, { challenge, method, response: key.get(options) })
    const done = await world.check(right, signedIn)
    expect(amrOf(done.body)).toEqual(['pwd', 'hwk', 'mfa'])
    await world.check(right, problem('challenge_invalid'))
    await world.check({ method: 'DELETE', path: `/client/user/${id}/two-factor` }, noContent)
    await world.check({ path: of(id) }, plain('{"data":[]}'))
    await world.check(login, signedIn)
  }),
  flow("passkeys: with the user's own token, where the account asks for it", async (world) => {
    await configure(world, { requireToken: true })
    const { id } = await world.createUser()
    await world.createUser('grace@example.com')
    const options = `${of(id)}/options`
    await world.check(post(options, {}), problem('token_missing'))
    await world.check(
      post(options, { token: `Bearer ${await world.logIn('grace@example.com')}` }),
      problem('token_claims_invalid'),
    )
    await world.check(post(options, { token: 'Bearer x' }), problem('token_malformed'))
    const token = `Bearer ${await world.logIn()}`
    const begun = await begin(world, options, { token })
    const response = new SoftwareAuthenticator().create(begun.options)
    const { status } = await world.send(post(of(id), { challenge: begun.challenge, response }))
    expect(status).toBe(201)
    const { data } = await world.clientele.events.read(world.account.id, { types: ['passkey.*'] })
    expect(data.map(({ actor }) => actor)).toEqual([{ type: 'user', id }])
  }),
  flow('passkeys: at most 20 a user, and each once', async (world) => {
    await configure(world)
    const { id } = await world.createUser()
    const authenticator = new SoftwareAuthenticator()
    const first = await begin(world, `${of(id)}/options`)
    for (let count = 0; count < 19; count++) await enrol(world, id, authenticator)
    const last = await begin(world, `${of(id)}/options`)
    const response = authenticator.create(last.options)
    const { status } = await world.send(post(of(id), { challenge: last.challenge, response }))
    expect(status).toBe(201)
    await world.check(post(`${of(id)}/options`, {}), problem('passkey_limit_reached'))
    const late = authenticator.create(first.options)
    await world.check(
      post(of(id), { challenge: first.challenge, response: late }),
      problem('passkey_limit_reached'),
    )
  }),
  flow('passkeys: before the account has set its site', async (world) => {
    const { id } = await world.createUser()
    await world.check(post(`${of(id)}/options`, {}), problem('passkeys_not_configured'))
    await world.check(post(`${logInPath}/options`, {}), problem('passkeys_not_configured'))
    await world.check({ path: of(id) }, plain('{"data":[]}'))
  }),
  flow('passkeys: a user of another account, an unknown user, an invalid id', async (world) => {
    await configure(world)
    const { id } = await world.createUser()
    const { passkey } = await enrol(world, id)
    const { key } = await world.otherTenant()
    for (const [user, as] of [
      [id, key],
      [absentId, world.key],
      ['x', world.key],
    ] as const) {
      await world.check({ path: of(user), key: as }, noSuchUser)
      await world.check({ ...post(`${of(user)}/options`, {}), key: as }, noSuchUser)
      const one = of(user, passkey.id)
      await world.check({ method: 'DELETE', path: one, key: as }, noSuchUser)
      await world.check({ method: 'PATCH', path: one, json: { name: 'x' }, key: as }, noSuchUser)
    }
    const other = await world.createUser('grace@example.com')
    await world.check({ method: 'DELETE', path: of(other.id, passkey.id) }, noSuchPasskey)
    await world.check({ method: 'DELETE', path: of(id, 'x') }, noSuchPasskey)
    await world.check({ path: of(id) }, plain(JSON.stringify({ data: [passkey] })))
  }),
  flow('passkeys need their scopes', async (world) => {
    const { id } = await world.createUser()
    const { apiKeys } = world.clientele
    const { apiKey: key } = await apiKeys.create(world.account.id, { scopes: ['users:read'] })
    await world.check({ ...post(`${of(id)}/options`, {}), key }, lacking('users:write'))
    await world.check({ ...post(`${logInPath}/options`, {}), key }, lacking('tokens:issue'))
    await world.check({ method: 'DELETE', path: of(id, absentId), key }, lacking('users:write'))
    await world.check({ path: of(id), key }, plain('{"data":[]}'))
  }),
  row(
    'passkeys: a response that is none',
    post(logInPath, { challenge: 'x', response: { id: '=', rawId: 'a', type: 'x', response: {} } }),
    invalid(
      ['/response/id', 'format', 'must be base64url, without padding'],
      ['/response/type', 'value', 'must be one of public-key'],
      ['/response/response/clientDataJSON', 'required', 'is required'],
      ['/response/response/authenticatorData', 'required', 'is required'],
      ['/response/response/signature', 'required', 'is required'],
    ),
  ),
  row(
    '405 on passkeys',
    { method: 'PUT', path: of(absentId), json: {} },
    notAllowed('POST, GET, HEAD'),
  ),
  row('405 on a passkey', { path: of(absentId, absentId) }, notAllowed('PATCH, DELETE')),
]
