import { createHash, randomBytes } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWK } from 'jose'
import Provider from 'oidc-provider'

export const clientId = 'acme'
export const resource = 'https://api.example.com'
const clientSecret = 'a secret of the client, 32 characters'
const redirectUri = 'https://acme.example.com/callback'

export interface IssuedTokens {
  id_token: string
  access_token: string
}

export interface ListeningServer {
  origin: string
  close(): Promise<void>
}

/** Listens on this machine, on any port unless one is given. */
export async function listen(
  makeListener: (origin: string) => RequestListener,
  port = 0,
): Promise<ListeningServer> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // it listens on TCP
  server.on('request', makeListener(origin))
  const close = async (): Promise<void> => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { origin, close }
}

export async function makeSigningKey(kid: string): Promise<JWK> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  return { ...(await exportJWK(privateKey)), kid, alg: 'RS256', use: 'sig' }
}

/** An OpenID provider whose only user is Ada, without a password. */
export function startOidcProvider(key: JWK, port?: number): Promise<ListeningServer> {
  return listen((origin) => makeProvider(origin, key), port)
}

function makeProvider(origin: string, key: JWK): RequestListener {
  const provider = new Provider(origin, {
    jwks: { keys: [key] },
    cookies: { keys: [randomBytes(32).toString('hex')] },
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    // So that the e-mail is in the ID token and not only in the answer of /me
    conformIdTokenClaims: false,
    findAccount: (_context, accountId) => ({
      accountId,
      claims: () => ({
        sub: accountId,
        email: 'ada@example.com',
        email_verified: true,
        name: 'Ada Lovelace',
      }),
    }),
    features: {
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: 'users:read',
          audience: resource,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    loadExistingGrant: async ({ oidc }) => {
      const accountId = oidc.session?.accountId
      if (accountId === undefined) return undefined
      const grant = new oidc.provider.Grant({ clientId, accountId })
      grant.addOIDCScope('openid email profile')
      grant.addResourceScope(resource, 'users:read')
      await grant.save()
      return grant
    },
  })
  const answer = provider.callback()
  return (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return void answer(request, response)
    const login = { login: { accountId: 'ada' } }
    provider.interactionFinished(request, response, login).catch((error: unknown) => {
      response.writeHead(500).end(String(error))
    })
  }
}

/** Signs Ada in there by the authorization code flow, as a browser and a client do. */
export async function signInThere(issuer: string, nonce: string): Promise<IssuedTokens> {
  const verifier = randomBytes(32).toString('base64url')
  const query = new URLSearchParams({
    client_id: clientId,
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: 'openid email profile users:read',
    nonce,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  const code = await follow(`${issuer}/auth?${query}`)
  const answer = await fetch(`${issuer}/token`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${btoa(`${clientId}:${encodeURIComponent(clientSecret)}`)}`,
    },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    }),
  })
  if (!answer.ok) throw new Error(`No tokens: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as IssuedTokens // OpenID Connect Core 1.0, section 3.1.3.3
}

/** Follows redirects with cookies until one leads to the client; answers with the code that it brings. */
async function follow(first: string): Promise<string> {
  const cookies = new Map<string, string>()
  let url = new URL(first)
  for (let steps = 0; steps < 10; steps++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(url, { redirect: 'manual', headers: { cookie } })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    const location = answer.headers.get('location')
    if (location === null) throw new Error(`No redirect: ${answer.status} ${await answer.text()}`)
    url = new URL(location, url)
    if (url.href.startsWith(redirectUri)) break
  }
  const code = url.searchParams.get('code')
  if (code === null) throw new Error(`No code: ${url.search}`)
  return code
}
