import {
  ClientSecretBasic,
  customFetch,
  discovery,
  type IntrospectionResponse,
  tokenIntrospection,
} from 'openid-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anyServerDatabase } from '../support/databases.ts'
import { logIn } from '../support/log-in.ts'
import { cliScript, startProcess } from '../support/start-process.ts'
import { newAda } from './cases/case.ts'
import { send } from './support/send.ts'
import { createTenant, openClientele, type Tenant } from './support/world.ts'

// The requests that RFC 7662 and RFC 8414 publish, to the letter, and a certified client, against the packed server.

const secret = 'a secret of the tests that is long enough'
const host = 'https://api.example.com'
const publicUrl = `${host}/api/v1`
const path = '/api/v1/client/user/auth/introspect'
const json = 'application/json; charset=utf-8'

/** RFC 7662, section 2.1: with a bearer token, and with a client's name and password */
const published = [
  {
    authorization: 'Bearer 23410913-abewfq.123483',
    body: 'token=2YotnFZFEjr1zCsicMWpAA',
    challenge: 'Bearer',
  },
  {
    authorization: 'Basic czZCaGRSa3F0MzpnWDFmQmF0M2JW',
    body: 'token=mF_9.B5f-4.1JqM&token_type_hint=access_token',
    challenge: 'Basic realm="clientele"',
  },
] as const

describe.each(anyServerDatabase)('published requests of OAuth, on $name', (database) => {
  let origin: string
  let tenant: Tenant
  let token: string
  let close: () => Promise<void>

  beforeAll(async () => {
    const opened = await database.open()
    const clientele = await openClientele(
      opened.url,
      { now: 0, read: Date.now },
      {
        secrets: [secret],
        publicUrl,
      },
    )
    tenant = await createTenant(clientele)
    await clientele.users.create(tenant.account.id, newAda)
    token = (await logIn(clientele, tenant.account.id, newAda)).token
    const running = startProcess(cliScript, [], {
      PORT: '0',
      DATABASE_URL: opened.url,
      CLIENTELE_SECRET: secret,
      PUBLIC_URL: publicUrl,
      LOG_LEVEL: 'silent',
    })
    origin = (await running.waitFor(/^Listening on (http:\/\/[^/]+)\/api\/v1$/m))[1] ?? ''
    close = async () => {
      running.child.kill('SIGTERM')
      await running.ended
      await clientele.close()
      await opened.close()
    }
  })
  afterAll(() => close())

  const basic = (): string =>
    `Basic ${Buffer.from(`${tenant.account.id}:${tenant.key}`).toString('base64')}`

  const introspect = (authorization: string, body: string) =>
    send(origin, {
      method: 'POST',
      path,
      headers: [
        ...['accept', 'application/json'],
        ...['content-type', 'application/x-www-form-urlencoded'],
        ...['authorization', authorization],
      ],
      body,
    })

  test.each(published)(
    'a protected resource that is not known is refused: $authorization',
    async ({ authorization, body, challenge }) => {
      const { status, headers } = await introspect(authorization, body)
      expect([status, headers['www-authenticate']]).toEqual([401, challenge])
    },
  )

  test.each(published)('an unknown token is not active: $body', async ({ challenge, body }) => {
    const authorization = challenge === 'Bearer' ? `Bearer ${tenant.key}` : basic()
    const reply = await introspect(authorization, body)
    expect(reply).toMatchObject({ status: 200, body: '{"active":false}' })
    expect(reply.headers).toMatchObject({ 'content-type': json, 'cache-control': 'no-store' })
  })

  test.each(['', '&token_type_hint=access_token', '&token_type_hint=of_our_own'])(
    'the members of an active token have their types (RFC 7662, section 2.2), asked with "%s"',
    async (hint) => {
      const { status, body } = await introspect(basic(), `token=${token}${hint}`)
      const text = expect.any(String)
      const { account } = tenant
      expect([status, JSON.parse(body)]).toEqual([
        200,
        {
          ...{ active: true, client_id: account.id, username: newAda.email, token_type: 'Bearer' },
          ...{ exp: expect.any(Number), iat: expect.any(Number), sub: text, aud: account.id },
          ...{ iss: `${publicUrl}/client/account/${account.id}`, jti: text, sid: text },
          ...{ auth_time: expect.any(Number), amr: ['pwd'] },
        },
      ])
    },
  )

  test('a token in the query is no request (RFC 7662, section 2.1)', async () => {
    const headers = ['authorization', basic()]
    const { status } = await send(origin, { path: `${path}?token=${token}`, headers })
    expect(status).toBe(405)
  })

  test('the metadata is at both places (RFC 8414, sections 3 and 5), and names its issuer', async () => {
    const issuerPath = `/api/v1/client/account/${tenant.account.id}`
    const name = '/.well-known/oauth-authorization-server'
    const replies = await Promise.all(
      [`${name}${issuerPath}`, `${issuerPath}${name}`].map((each) => send(origin, { path: each })),
    )
    for (const { status, headers, body } of replies) {
      expect([status, headers['content-type']]).toEqual([200, json])
      const { issuer, jwks_uri, introspection_endpoint, ...rest } = JSON.parse(body)
      expect(issuer).toBe(`${host}${issuerPath}`)
      expect(jwks_uri).toBe(`${issuer}/.well-known/jwks.json`)
      expect(introspection_endpoint).toBe(`${host}${path}`)
      // What else there is are lists of names, and no endpoint is promised that does not exist.
      expect(Object.keys(rest).filter((member) => !member.endsWith('_supported'))).toEqual([])
      expect(Object.values(rest).flat()).toEqual(expect.arrayContaining([expect.any(String)]))
      expect(rest.response_types_supported).toEqual([])
    }
    const absent = `${name}/api/v1/client/account/019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f`
    expect((await send(origin, { path: absent })).status).toBe(404)
  })

  describe.each(['oauth2', 'oidc'] as const)('openid-client, by %s discovery', (algorithm) => {
    const ask = async (key: string, asked: string): Promise<IntrospectionResponse> => {
      const { account } = tenant
      const issuer = new URL(`${publicUrl}/client/account/${account.id}`)
      const config = await discovery(issuer, account.id, key, ClientSecretBasic(key), {
        algorithm,
        [customFetch]: (url, { body, ...init }) =>
          fetch(url.replace(host, origin), { ...init, body: body ?? null }),
      })
      return tokenIntrospection(config, asked)
    }

    test('reads an active token, and one that is not', async () => {
      expect(await ask(tenant.key, token)).toMatchObject({ active: true, username: newAda.email })
      expect(await ask(tenant.key, `${token}x`)).toEqual({ active: false })
    })

    test('understands that its key is refused', async () => {
      await expect(ask('wrong', token)).rejects.toMatchObject({ status: 401 })
    })
  })
})
