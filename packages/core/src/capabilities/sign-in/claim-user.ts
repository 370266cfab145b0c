import { byUser, type Call } from '../../base/call/call.ts'
import { ClienteleError, type HttpErrorCode, invalidInput } from '../../base/errors.ts'
import type { Profile } from '../../user-model/client-user.ts'
import { mapProfile } from '../../user-model/fields.ts'
import { type StoredUser, toStoredProfile } from '../../user-model/stored-user.ts'
import { newEvent } from '../events/new-event.ts'
import { maxIdentities } from '../identities/identity.ts'
import type {
  IdentityCredentials,
  NewIdentifiedUser,
  TrustRefusal,
  TrustUse,
} from '../identities/store.ts'
import { type ApprovedSignIn, settleApproved } from '../sessions/approve-sign-in.ts'
import { createFirstProofEvents } from '../users/first-proof-events.ts'
import type { Credentials } from '../users/store.ts'
import type { IdToken } from './id-token.ts'
import { nameOfClaims } from './name-of-claims.ts'
import type { SignInServices } from './services.ts'

/** The user that an ID token belongs to. */
export type ClaimedUser = Pick<
  IdentityCredentials,
  'user' | 'passwordHash' | 'tokensNotBefore' | 'identityId'
> & {
  /** What the hooks have said about this user. @default they are asked */
  approved?: ApprovedSignIn | undefined
}

/**
 * Links the identity of an ID token to the user with its address.
 *
 * @param sessionId the session that is about to be opened: it stays when others end
 * @returns undefined: the user is another than the hooks were asked about
 *
 * @throws ClienteleError `token_user_not_found`, `identity_taken`, `identity_limit_reached`; `token_revoked` when the user's
 *   tokens have ended since; `token_revoked`, `sign_in_method_disabled` when the account trusts the token no more
 */
export async function linkByEmail(
  services: SignInServices,
  call: Call,
  token: IdToken,
  email: string,
  { user, tokensNotBefore }: Credentials,
  sessionId: string,
  approved: ApprovedSignIn | undefined,
): Promise<ClaimedUser | undefined> {
  const { repository, events, newId, clock } = services
  const { subject } = token
  const { issuer } = token.issuer
  const userId = user.id
  const ofUser = byUser(call, userId)
  const identity = { id: newId(), userId, issuer, subject, createdAt: clock() }
  const asked = approved?.asked
  const trust = toTrustUse(token, true)
  const outcome = await repository.identities.linkByEmail(
    call.accountId,
    { identity, email, trust, maximum: maxIdentities, tokensNotBefore, version: asked?.version },
    {
      ...createFirstProofEvents(services, call),
      linked: (user, revokedCredentials) => {
        const keptSessionId = revokedCredentials ? sessionId : undefined
        const data = { identityId: identity.id, revokedCredentials, keptSessionId }
        const person = { user, identity: { issuer, subject } }
        return newEvent(services, ofUser, 'identity.linked', userId, data, person)
      },
      verified: (user) => {
        const data = { revokedCredentials: true, keptSessionId: sessionId }
        return newEvent(services, ofUser, 'user.email_verified', userId, data, { user })
      },
    },
  )
  if (outcome === 'user_changed') return undefined
  // The user was deleted or deactivated just now, or has another address since.
  if (outcome === 'user_not_found') throw new ClienteleError('token_user_not_found')
  if (typeof outcome === 'string') throw toRefusal(outcome)
  const { events: told, ...credentials } = outcome
  for (const event of told) events.emit(event)
  const settled = approved && settleApproved(approved)
  return { ...credentials, identityId: identity.id, approved: settled }
}

function toTrustUse(
  { issuer, isEmailVerified: isVerified }: IdToken,
  linksByEmail: boolean,
): TrustUse {
  return { issuerId: issuer.id, issuerUpdatedAt: issuer.updatedAt, linksByEmail, isVerified }
}

function toRefusal<Code extends HttpErrorCode>(outcome: Code | TrustRefusal): ClienteleError {
  return new ClienteleError(outcome === 'issuer_not_trusted' ? 'token_revoked' : outcome)
}

/**
 * Refuses to create users from ID tokens when the host's metadata schema has required members without defaults.
 *
 * @throws ClienteleError `validation_failed`
 */
export function assertCreatable({ userSchemas }: SignInServices): void {
  if (userSchemas.empty.metadata !== undefined) return
  const message = 'cannot create a user here: users need metadata, which an ID token does not have'
  throw invalidInput([{ pointer: '/create', code: 'metadata_required', message }])
}

/** The user that an ID token creates: as it is to be stored. */
export function toNewUser(
  { newId, clock, userSchemas }: SignInServices,
  token: IdToken,
  email: string,
): StoredUser {
  const now = clock()
  const name = nameOfClaims(token.claims, email)
  return {
    id: newId(),
    ...toStoredProfile(
      mapProfile<Profile>((field) =>
        field === 'email' ? email : field === 'name' ? name : userSchemas.empty[field],
      ),
    ),
    isActive: true,
    createdAt: now,
    updatedAt: now,
  }
}

/**
 * Creates the user of an ID token: without a password, with the identity.
 *
 * @throws ClienteleError `email_taken`, `identity_taken`; `token_revoked`, `sign_in_method_disabled` when the account trusts
 *   the token no more
 */
export async function createClaimedUser(
  services: SignInServices,
  call: Call,
  token: IdToken,
  user: StoredUser,
  approved: ApprovedSignIn | undefined,
): Promise<ClaimedUser> {
  const { repository, events, newId } = services
  const { issuer } = token.issuer
  const { subject } = token
  const userId = user.id
  const ofUser = byUser(call, userId)
  const identity = { id: newId(), userId, issuer, subject, createdAt: user.createdAt }
  const data = { identityId: identity.id, revokedCredentials: false, keptSessionId: undefined }
  const person = { user, identity: { issuer, subject } }
  const told: NewIdentifiedUser['events'] = [
    newEvent(services, ofUser, 'user.created', userId, {}, { user }),
    newEvent(services, ofUser, 'identity.linked', userId, data, person),
  ]
  if (token.isEmailVerified) {
    const verified = { revokedCredentials: false, keptSessionId: undefined }
    told.push(newEvent(services, ofUser, 'user.email_verified', userId, verified, { user }))
  }
  const trust = toTrustUse(token, false)
  const created = { user: { ...user, passwordHash: null }, identity, trust, events: told }
  const outcome = await repository.identities.createUser(call.accountId, created)
  if (outcome !== 'created') throw toRefusal(outcome)
  for (const event of told) events.emit(event)
  const credentials = { user, passwordHash: null, tokensNotBefore: user.createdAt }
  return { ...credentials, identityId: identity.id, approved }
}
