import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ClienteleOptions, NewTrustedIssuer, PublicJwk } from '@clientele/core'
import { CompactSign, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { onTestFinished } from 'vitest'
import { codeOf } from '../keys/open-clientele.ts'
import { SignInWorld } from './sign-in-world.ts'

export const iss = 'https://login.example.com'
export const aud = 'https://api.example.com'
const secret = 'a shared secret of 32 bytes or more'
const ec = await generateKeyPair('ES256', { extractable: true })
export const otherEc = await generateKeyPair('ES256', { extractable: true })
export const ecJwk = { ...(await exportJWK(ec.publicKey)), kty: 'EC', kid: 'ec-1' }
export const otherEcJwk = { ...(await exportJWK(otherEc.publicKey)), kty: 'EC', kid: 'ec-2' }

const named = { issuer: iss, audience: aud }
export const bySecret = {
  ...named,
  algorithms: ['HS256'],
  sharedSecret: secret,
} satisfies NewTrustedIssuer
export const byKeys = {
  ...named,
  algorithms: ['ES256'],
  publicKeys: [ecJwk],
} satisfies NewTrustedIssuer
export const byUrl = (jwksUrl: string) =>
  ({ ...named, algorithms: ['ES256'], jwksUrl }) satisfies NewTrustedIssuer

/** A token for its holder, valid for a minute, for accounts that trust `bySecret`. */
export const signBySecret = (
  userId: string,
  seconds: number,
  more: JWTPayload = {},
): Promise<string> =>
  new SignJWT({ iss, aud, sub: userId, iat: seconds, exp: seconds + 60, ...more })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(new TextEncoder().encode(secret))

export const encode = (value: unknown): string =>
  Buffer.from(JSON.stringify(value)).toString('base64url')

/** Users of accounts that trust other issuers, and what these issuers sign. */
export class IssuerWorld extends SignInWorld {
  override now = Date.parse('2026-05-05T12:00:00.500Z')

  get seconds(): number {
    return Math.floor(this.now / 1000)
  }

  /** An account with a user, whose tokens are valid unless something in them is changed. */
  async openAccount(options: Partial<ClienteleOptions> = {}) {
    const trustedIssuers = { allowPrivateAddresses: true }
    const { clientele } = await this.start({ trustedIssuers, ...options })
    const { accountId, user, credentials } = await this.addUser(clientele, {
      email: 'ada@example.com',
    })
    // A token of the second in which its user was made is refused.
    this.now += 2_000
    const claims = (changes: Record<string, unknown> = {}): JWTPayload => {
      const all = { iss, aud, sub: user.id, iat: this.seconds, exp: this.seconds + 60, ...changes }
      return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
    }
    return {
      clientele,
      accountId,
      user,
      credentials,
      claims,
      signBySecret: (changes: Record<string, unknown> = {}, header: object = {}, key = secret) =>
        new SignJWT(claims(changes))
          .setProtectedHeader({ alg: 'HS256', ...header })
          .sign(new TextEncoder().encode(key)),
      signByKey: (
        changes: Record<string, unknown> = {},
        header: object = { kid: 'ec-1' },
        key = ec.privateKey,
      ) => new SignJWT(claims(changes)).setProtectedHeader({ alg: 'ES256', ...header }).sign(key),
      /** Signs what JSON.stringify would not write. */
      signRaw: (times: string, key = secret) =>
        new CompactSign(
          new TextEncoder().encode(
            `{"iss":${JSON.stringify(iss)},"aud":${JSON.stringify(aud)},"sub":"${user.id}",${times}}`,
          ),
        )
          .setProtectedHeader({ alg: 'HS256' })
          .sign(new TextEncoder().encode(key)),
      trust: (issuer: NewTrustedIssuer) => clientele.trustedIssuers.create(accountId, issuer),
      check: (token: string, at = clientele, account = accountId) =>
        codeOf(at.auth.validateToken(account, token)),
    }
  }

  /** The same, where this issuer is trusted. */
  async trusting(issuer: NewTrustedIssuer, options: Partial<ClienteleOptions> = {}) {
    const opened = await this.openAccount(options)
    return { ...opened, issuer: await opened.trust(issuer) }
  }
}

/** A server of keys on this machine, which counts its requests until the test is over. */
export async function serveKeys(...first: PublicJwk[]) {
  const served = {
    url: '',
    requests: 0,
    answer: (_response: ServerResponse): void => {},
    serve(...keys: PublicJwk[]): void {
      served.answer = (response) => response.end(JSON.stringify({ keys }))
    },
  }
  served.serve(...first)
  const server = createServer((_, response) => {
    served.requests++
    served.answer(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  served.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys` // it listens on TCP
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return served
}
