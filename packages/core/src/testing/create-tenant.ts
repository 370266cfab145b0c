import type { Clientele } from '../clientele.ts'
import type { Tenant } from './tenant-leaks/find-tenant-leaks.ts'
import type { TestClientele, TestUser } from './test-clientele.ts'

/** What makes a tenant, of the kit for tests. */
type Maker = Pick<TestClientele, 'clientele' | 'mails' | 'createAccount' | 'createUser'>

/** An account with one of everything that our routes are about, under the names that `listClienteleRoutes` has for them. */
export async function createTenant(
  { clientele, mails, createAccount, createUser }: Maker,
  own: Record<string, string>,
): Promise<Tenant> {
  const { account, apiKey } = await createAccount()
  const { id } = account
  const { user, password } = await createUser(id)
  const { email } = user
  await clientele.auth.forgotPassword(id, { email })
  const { secret: resetToken } = await mails.last(email)
  await clientele.auth.requestEmailVerification(id, { email })
  const { secret: verificationToken } = await mails.last(email)
  const signedIn = await clientele.auth.logIn(id, { email, password })
  const other = await createUser(id)
  const challenge = await challengeUser(clientele, id, other)
  const [session] = await clientele.sessions.list(id, user.id)
  const webhook = await clientele.webhooks.create(id, { url: 'http://127.0.0.1:9/' })
  const identity = await clientele.identities.link(id, user.id, {
    issuer: 'https://issuer.example.com',
    subject: user.id,
  })
  const { nextCursor } = await clientele.events.read(id)
  const revocations = await clientele.revocations.read(id)
  if (!('token' in signedIn) || session === undefined) throw new Error('The user is not signed in.')
  const objects = {
    user_id: user.id,
    email,
    other_email: other.user.email,
    password,
    token: signedIn.token,
    refresh_token: signedIn.refreshToken,
    session_id: session.id,
    reset_token: resetToken,
    verification_token: verificationToken,
    challenge,
    identity_id: identity.id,
    webhook_id: webhook.id,
    event_cursor: nextCursor,
    revocation_cursor: revocations.nextCursor,
  }
  return { apiKey, objects: { ...objects, ...own } }
}

/** Gives a user a second factor, and asks for it. */
async function challengeUser(
  clientele: Clientele,
  accountId: string,
  { user, password }: TestUser,
): Promise<string> {
  await clientele.mfa.enrolEmail(accountId, user.id)
  const asked = await clientele.auth.logIn(accountId, { email: user.email, password })
  if (!('challenge' in asked)) throw new Error('No second factor was asked for.')
  return asked.challenge
}
