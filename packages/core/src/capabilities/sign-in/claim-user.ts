import { byUser, type Call } from '../../base/call/call.ts'
import { ClienteleError, invalidInput } from '../../base/errors.ts'
import type { Profile } from '../../user-model/client-user.ts'
import { mapProfile } from '../../user-model/fields.ts'
import { type StoredUser, toStoredProfile } from '../../user-model/stored-user.ts'
import { newEvent } from '../events/new-event.ts'
import { maxIdentities } from '../identities/identity.ts'
import type { IdentityCredentials, NewIdentifiedUser } from '../identities/store.ts'
import { createFirstProofEvents } from '../users/first-proof-events.ts'
import type { Credentials } from '../users/store.ts'
import type { IdToken } from './id-token.ts'
import { nameOfClaims } from './name-of-claims.ts'
import type { SignInServices } from './services.ts'

/** The user that an ID token belongs to. */
export type ClaimedUser = Pick<
  IdentityCredentials,
  'user' | 'passwordHash' | 'tokensNotBefore' | 'identityId'
>

/**
 * Links the identity of an ID token to the user with its address.
 *
 * @param sessionId the session that is about to be opened: it stays when others end
 *
 * @throws ClienteleError `token_user_not_found`, `identity_taken`, `identity_limit_reached`
 */
export async function linkByEmail(
  services: SignInServices,
  call: Call,
  token: IdToken,
  email: string,
  { user }: Credentials,
  sessionId: string,
): Promise<ClaimedUser> {
  const { repository, events, newId, clock } = services
  const { subject, isEmailVerified: isVerified } = token
  const { issuer } = token.issuer
  const userId = user.id
  const ofUser = byUser(call, userId)
  const identity = { id: newId(), userId, issuer, subject, createdAt: clock() }
  const outcome = await repository.identities.linkByEmail(
    call.accountId,
    { identity, email, isVerified, maximum: maxIdentities },
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
  if (typeof outcome === 'string') {
    // The user was deleted or deactivated just now, or has another address since.
    throw new ClienteleError(outcome === 'user_not_found' ? 'token_user_not_found' : outcome)
  }
  for (const event of outcome.events) events.emit(event)
  const { user: linked, passwordHash, tokensNotBefore } = outcome
  return { user: linked, passwordHash, tokensNotBefore, identityId: identity.id }
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
 * @throws ClienteleError `email_taken`, `identity_taken`
 */
export async function createClaimedUser(
  services: SignInServices,
  call: Call,
  token: IdToken,
  user: StoredUser,
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
  const created = { user: { ...user, passwordHash: null }, identity, events: told }
  const outcome = await repository.identities.createUser(call.accountId, created)
  if (outcome !== 'created') throw new ClienteleError(outcome)
  for (const event of told) events.emit(event)
  return { user, passwordHash: null, tokensNotBefore: user.createdAt, identityId: identity.id }
}
