import { randomUUID } from 'node:crypto'
import { createServer, request, type Server } from 'node:http'
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anyDatabase, type OpenDatabase } from '../support/databases.ts'
import { logIn } from '../support/log-in.ts'
import { newAda } from './cases/case.ts'
import { time } from './support/answers.ts'
import { send } from './support/send.ts'
import { createTenant, openClientele } from './support/world.ts'
import { targets } from './targets/all.ts'
import { listen, type StartedTarget } from './targets/target.ts'

const outside = '/users%20api/v2'

/** A proxy that puts a server's mount path in the place of its own, and tells the server nothing of it. */
function createProxy(upstream: () => StartedTarget): Server {
  return createServer((req, res) => {
    const { origin, prefix } = upstream()
    const path = prefix + (req.url ?? '').slice(outside.length)
    const { method, headers } = req
    const passed = request(origin, { path, method, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 0, answer.headers)
      answer.pipe(res)
    })
    req.pipe(passed)
  })
}

describe.each(anyDatabase)('$name', (database) => {
  let opened: OpenDatabase
  beforeAll(async () => {
    opened = await database.open()
  })
  afterAll(() => opened.close())

  test.each(targets)('$name: Location and Link lead through a proxy', async (target) => {
    let server: StartedTarget | undefined
    const proxy = await listen(
      createProxy(() => {
        if (server === undefined) throw new Error('The server has not started.')
        return server
      }),
      'root',
    )
    const publicUrl = `${proxy.origin}${outside}/`
    const clientele = await openClientele(opened.url, undefined, { publicUrl })
    server = await target.start(clientele, 'prefix')
    try {
      const { key } = await createTenant(clientele)
      const headers = ['authorization', `Bearer ${key}`]
      const create = async (email: string) =>
        send(proxy.origin, {
          method: 'POST',
          path: `${outside}/client/user`,
          headers: [...headers, 'content-type', 'application/json'],
          body: JSON.stringify({ ...newAda, email }),
        })
      const created = await create('ada@example.com')
      await create('eve@example.com')
      const { location = '' } = created.headers
      expect(location).toMatch(/^\/users%20api\/v2\/client\/user\/[0-9a-f-]{36}$/)
      const found = await send(proxy.origin, { path: location, headers })
      expect([found.status, found.body]).toEqual([200, created.body])

      const first = await send(proxy.origin, { path: `${outside}/client/user?limit=1`, headers })
      const [, next = ''] = /<([^>]+)>; rel="next"/.exec(first.headers.link ?? '') ?? []
      const second = await send(proxy.origin, { path: next, headers })
      expect(JSON.parse(second.body)).toMatchObject({
        page: 2,
        data: [{ email: 'eve@example.com' }],
      })
    } finally {
      await server.close()
      await clientele.close()
      await proxy.close()
    }
  })

  test.each(targets)('$name: verifiers find keys and metadata by the issuer', async (target) => {
    let server: StartedTarget | undefined
    const proxy = await listen(
      createProxy(() => {
        if (server === undefined) throw new Error('The server has not started.')
        return server
      }),
      'root',
    )
    const publicUrl = `${proxy.origin}${outside}`
    const clientele = await openClientele(opened.url, undefined, { publicUrl: `${publicUrl}/` })
    server = await target.start(clientele, 'prefix')
    try {
      const { account } = await createTenant(clientele)
      await clientele.users.create(account.id, newAda)
      const { token } = await logIn(clientele, account.id, newAda)
      const { iss = '' } = decodeJwt(token)
      expect(iss).toBe(`${publicUrl}/client/account/${account.id}`)
      const metadata = {
        issuer: iss,
        jwks_uri: `${iss}/.well-known/jwks.json`,
        introspection_endpoint: `${publicUrl}/client/user/auth/introspect`,
        token_endpoint_auth_methods_supported: ['client_secret_basic'],
        id_token_signing_alg_values_supported: ['ES256', 'EdDSA', 'RS256'],
        subject_types_supported: ['public'],
        response_types_supported: [],
      }
      for (const name of ['openid-configuration', 'oauth-authorization-server']) {
        const url = `${iss}/.well-known/${name}`
        const found = await fetch(url)
        expect(found.headers.get('cache-control')).toBe('public, max-age=300')
        expect(await found.json()).toEqual(metadata)
        const head = await fetch(url, { method: 'HEAD' })
        expect([head.status, await head.text()]).toEqual([200, ''])
        const absent = await fetch(url.replace(account.id, randomUUID()))
        expect([absent.status, await absent.json()]).toMatchObject([
          404,
          { code: 'account_not_found' },
        ])
      }
      expect(await clientele.metadata(account.id.toUpperCase())).toEqual(metadata)
      for (const id of [randomUUID(), 'none']) expect(await clientele.metadata(id)).toBe(undefined)
      const keys = createRemoteJWKSet(new URL(metadata.jwks_uri))
      const currentDate = new Date(Date.parse(time))
      const options = { issuer: iss, audience: account.id, typ: 'at+jwt', currentDate }
      const { payload } = await jwtVerify(token, keys, options)
      expect(payload.client_id).toBe(account.id)

      // Another account's key does not verify it, whatever a verifier forgets to look at.
      const other = await createTenant(clientele)
      await clientele.signingKeys.rotate(other.account.id)
      const theirs = createRemoteJWKSet(
        new URL(metadata.jwks_uri.replace(account.id, other.account.id)),
      )
      await expect(jwtVerify(token, theirs, { currentDate })).rejects.toMatchObject({
        code: 'ERR_JWKS_NO_MATCHING_KEY',
      })
    } finally {
      await server.close()
      await clientele.close()
      await proxy.close()
    }
  })
})
