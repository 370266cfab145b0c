import { randomUUID } from 'node:crypto'
import type {
  Clientele,
  ClienteleOptions,
  LogInWithIdTokenInput,
  NewTrustedIssuer,
} from '@clientele/core'
import { codeOf } from '../keys/open-clientele.ts'
import { byKeys, IssuerWorld, iss } from '../support/issuer-world.ts'

export const trusted = { ...byKeys, signIn: true, nonce: 'optional' } satisfies NewTrustedIssuer
export const linking = { ...trusted, linkByEmail: true } satisfies NewTrustedIssuer
export const ada = { email: 'ada@example.com', email_verified: true }

/** Users who sign in with what an issuer says of them. */
export class IdTokenWorld extends IssuerWorld {
  /** An account that trusts an issuer for signing in, with a user who has an identity there. */
  async openLinked(
    issuer: NewTrustedIssuer = trusted,
    subject = 'ada',
    options: Partial<ClienteleOptions> = {},
  ) {
    const opened = await this.trusting(issuer, options)
    const { clientele, accountId, user } = opened
    const linked = await clientele.identities.link(accountId, user.id, { issuer: iss, subject })
    return { ...opened, linked, ...this.signer(opened) }
  }

  /** What signs ID tokens, and signs in with them. */
  signer({ clientele, accountId, signByKey }: Awaited<ReturnType<IssuerWorld['trusting']>>) {
    const sign = (claims: Record<string, unknown> = {}) => signByKey({ sub: 'ada', ...claims })
    const logIn = (input: LogInWithIdTokenInput, at: Clientele = clientele) =>
      at.auth.logInWithIdToken(accountId, input)
    const outcome = async (
      claims: Record<string, unknown> = {},
      input: Partial<LogInWithIdTokenInput> = {},
    ) => codeOf(logIn({ idToken: await sign({ jti: randomUUID(), ...claims }), ...input }))
    const typesOf = async () =>
      (
        await clientele.events.read(accountId, { limit: 1000, types: ['user.*', 'identity.*'] })
      ).data.map(({ type }) => type)
    return { sign, logIn, outcome, typesOf }
  }
}
