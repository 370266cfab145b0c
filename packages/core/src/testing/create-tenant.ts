import { createHmac } from 'node:crypto'
import type { CreateUserInput } from '../capabilities/users/user-input.ts'
import type { Clientele } from '../clientele/clientele.ts'
import type { Tenant } from './tenant-leaks/find-tenant-leaks.ts'
import type { TestClientele, TestUser } from './test-clientele.ts'

/** The parts of the testing kit that create a tenant. */
type Maker = Pick<
  TestClientele,
  'clientele' | 'clock' | 'mails' | 'createAccount' | 'createUser'
> & {
  /** Stores a passkey and returns its id */
  addPasskey(accountId: string, userId: string): Promise<string>
  /** Remembers a device and returns its id */
  addDevice(accountId: string, userId: string): Promise<string>
}

const issuer = 'https://issuer.example.com'

/** An account with one object of each kind in our routes, under the names that `listClienteleRoutes` uses. */
export async function createTenant(
  { clientele, clock, mails, createAccount, createUser, addPasskey, addDevice }: Maker,
  own: Record<string, string>,
  profile: Partial<CreateUserInput>,
): Promise<Tenant> {
  const { account, apiKey } = await createAccount()
  const { id } = account
  const { user, password } = await createUser(id, profile)
  const { email } = user
  await clientele.auth.forgotPassword(id, { email })
  const { secret: resetToken } = await mails.last(email)
  await clientele.auth.requestEmailVerification(id, { email })
  const { secret: verificationToken } = await mails.last(email)
  const invitee = `invited-${email}`
  await clientele.users.invite(id, { name: 'Invited', ...profile, email: invitee })
  const { secret: invitationToken } = await mails.last(invitee)
  const changing = await createUser(id, profile)
  const newEmail = `new-${email}`
  await clientele.users.requestEmailChange(id, changing.user.id, { email: newEmail })
  const { secret: changeToken } = await mails.last(newEmail)
  const { secret: undoToken } = await mails.last(changing.user.email)
  const signedIn = await clientele.auth.logIn(id, { email, password })
  const other = await createUser(id, profile)
  const challenge = await challengeUser(clientele, id, other)
  const [session] = await clientele.sessions.list(id, user.id)
  const webhook = await clientele.webhooks.create(id, { url: 'http://127.0.0.1:9/' })
  const identity = await clientele.identities.link(id, user.id, {
    issuer,
    subject: user.id,
  })
  const idToken = await signIdToken(clientele, id, user.id, clock.now())
  const ownToken = await clientele.userTokens.create(id, user.id, { name: 'Script' })
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
    id_token: idToken,
    reset_token: resetToken,
    verification_token: verificationToken,
    invitation_token: invitationToken,
    email_change_token: changeToken,
    email_undo_token: undoToken,
    free_email: `free-${email}`,
    challenge,
    identity_id: identity.id,
    passkey_id: await addPasskey(id, user.id),
    token_id: ownToken.id,
    user_token: ownToken.token,
    device_id: await addDevice(id, user.id),
    webhook_id: webhook.id,
    event_cursor: nextCursor,
    revocation_cursor: revocations.nextCursor,
  }
  return { apiKey, objects: { ...objects, ...own } }
}

/** Gives a user a second factor, and starts a sign-in that needs it. */
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

/** Makes the account trust an issuer for signing in, and signs as that issuer. */
async function signIdToken(
  clientele: Clientele,
  accountId: string,
  subject: string,
  now: number,
): Promise<string> {
  const sharedSecret = `the secret of the issuer of ${accountId}`
  await clientele.trustedIssuers.create(accountId, {
    ...{ issuer, audience: accountId, algorithms: ['HS256'], sharedSecret },
    ...{ signIn: true, nonce: 'optional' },
  })
  const seconds = Math.floor(now / 1000)
  const claims = { iss: issuer, aud: accountId, sub: subject, iat: seconds, exp: seconds + 3600 }
  const signed = [{ alg: 'HS256', kid: 'tenant' }, claims].map(encode).join('.')
  return `${signed}.${createHmac('sha256', sharedSecret).update(signed).digest('base64url')}`
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
