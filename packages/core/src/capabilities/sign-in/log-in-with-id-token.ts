import { z } from 'zod'
import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { codePoints } from '../../base/input/input.ts'
import { secretMark } from '../../base/input/secret-mark.ts'
import { wireObject } from '../../base/input/wire-names.ts'
import { exampleToken } from '../../base/jwt/example-token.ts'
import { maxTokenLength } from '../../base/jwt/parse-token.ts'
import type { StoredUser } from '../../user-model/stored-user.ts'
import type { StoredPolicy } from '../accounts/account-policy.ts'
import { assertMethodAllowed } from '../accounts/assert-sign-in.ts'
import { isEnrolled } from '../mfa/challenge-user.ts'
import { toClientNetwork } from '../rate-limits/client-network.ts'
import { toIdTokenTarget } from '../rate-limits/id-token-target.ts'
import type { Attempt } from '../rate-limits/login-throttle.ts'
import type { ApprovedSignIn } from '../sessions/approve-sign-in.ts'
import { askUntilUnchanged } from '../users/ask-until-unchanged.ts'
import { readTokensNotBefore } from '../users/read-tokens-not-before.ts'
import { askFirst } from './ask-first.ts'
import {
  assertCreatable,
  type ClaimedUser,
  createClaimedUser,
  linkByEmail,
  toNewUser,
} from './claim-user.ts'
import {
  assertFits,
  assertIssuedSince,
  endOf,
  type Holder,
  type IdToken,
  verifyIdToken,
} from './id-token.ts'
import { proceed, type SignInResult } from './proceed.ts'
import type { SignInServices } from './services.ts'
import { tellFailedToken } from './tell-failed-token.ts'

const shape = {
  idToken: z
    .string()
    .min(1)
    .max(maxTokenLength)
    .meta({ ...secretMark, description: "The issuer's ID token, a JWT", examples: [exampleToken] }),
  nonce: codePoints(z.string(), 1, 255)
    .meta({ examples: ['n-0S6_WzA2Mj'] })
    .optional()
    .describe('What your page sent to the issuer as `nonce`'),
  create: z
    .boolean()
    .default(false)
    .describe('Whether to create the user if there is none, with the verified e-mail of the token'),
}
export const idTokenLogInSchema = z.strictObject(shape)
export const idTokenLogInWireSchema = wireObject(shape, { id: 'LogInWithIdToken' })
export type LogInWithIdTokenInput = z.input<typeof idTokenLogInSchema>

/** The account, as it was read with the user of the token's identity */
interface ReadAccount {
  policy: StoredPolicy
  isAccountDisabled: boolean
}

/**
 * Signs a user in with an ID token of an issuer that the account trusts for it. A token works once.
 *
 * @throws ClienteleError one of the `token_*` codes: `token_revoked` when the token was used before; `email_taken`,
 *   `identity_limit_reached`, `rate_limited`
 */
export async function logInWithIdToken(
  services: SignInServices,
  call: Call,
  { idToken, nonce, create }: z.output<typeof idTokenLogInSchema>,
): Promise<SignInResult> {
  const { accountId } = call
  // Signatures cannot be guessed. Without a client address, tokens that do not verify are not counted, because an
  // attacker could otherwise lock out all users.
  return countFailures(services, ofAddress(call), async () => {
    const token = await verifyIfAllowed(services, accountId, idToken)
    // The issuer's keys may have been read.
    await call.stayAdmitted?.()
    const { account, holder } = await findHolder(services, accountId, token)
    return countFailures(services, ofHolder(call, holder), async () => {
      try {
        assertFits(token, nonce, services.clock())
        return await signIn(services, call, token, account, holder, create)
      } catch (error) {
        if (isRefusal(error)) await tellFailedToken(services, call, token, holder?.user ?? null)
        throw error
      }
    })
  })
}

async function signIn(
  services: SignInServices,
  call: Call,
  token: IdToken,
  { policy, isAccountDisabled }: ReadAccount,
  holder: Holder | undefined,
  create: boolean,
): Promise<SignInResult> {
  const { repository, newId, clock } = services
  const { accountId } = call
  // Now, because the session would be refused only after a user was created or changed.
  if (isAccountDisabled) throw new ClienteleError('token_revoked')
  const email = await assertUsable(services, accountId, token, holder, create)
  const owner = holder ?? { newUser: toNewUser(services, token, email) }
  const amr = ['fed']
  const sessionId = newId()
  const asked = { owner, amr, sessionId, policy }
  try {
    let approvedFirst = await askFirst(services, call, token, asked)
    // Before other writes: if a token is used several times at once, one use continues.
    if (!(await repository.signIn.useIdToken(accountId, token.digest, endOf(token))))
      throw new ClienteleError('token_revoked')
    const claimed = await askUntilUnchanged(async (tries) => {
      if (tries > 1) approvedFirst = await askFirst(services, call, token, asked)
      return claim(services, call, token, owner, email, sessionId, approvedFirst)
    })
    const { user, passwordHash, tokensNotBefore, identityId, approved } = claimed
    const factor = await repository.mfa.find(accountId, user.id)
    const { id: issuerId, updatedAt: issuerUpdatedAt } = token.issuer
    const shown = { identityId, issuerId, issuerUpdatedAt }
    const compared = { passwordHash, tokensNotBefore, shown, policy, approved }
    const signedIn = await proceed(services, call, user, factor, amr, compared, sessionId)
    await repository.identities.noteUse(accountId, identityId, clock())
    return signedIn
  } catch (error) {
    // The user was deleted or deactivated, or has a new password: the token counts as issued before that.
    const isGone = error instanceof ClienteleError && error.code === 'credentials_invalid'
    throw isGone ? new ClienteleError('token_revoked') : error
  }
}

/**
 * Verifies a token. In an account that refuses ID tokens, one that is not valid is refused as a valid one is.
 *
 * @throws ClienteleError `sign_in_method_disabled`, or one of the `token_*` codes
 */
async function verifyIfAllowed(
  services: SignInServices,
  accountId: string,
  text: string,
): Promise<IdToken> {
  try {
    return await verifyIdToken(services, accountId, text)
  } catch (error) {
    const account = isRefusal(error)
      ? await services.repository.accounts.findSettings(accountId)
      : undefined
    if (account !== undefined) assertMethodAllowed(account.policy.rules, 'id_token')
    throw error
  }
}

/**
 * Reads the account and the user of the identity or, if the account links by e-mail, of the address.
 *
 * @throws ClienteleError `sign_in_method_disabled`; `token_revoked` when the account was deleted just now
 */
async function findHolder(
  services: SignInServices,
  accountId: string,
  token: IdToken,
): Promise<{ account: ReadAccount; holder: Holder | undefined }> {
  const { issuer, subject, email } = token
  const { signIn } = services.repository
  const account = await signIn.findByIdentity(accountId, issuer.issuer, subject)
  if (account === undefined) throw new ClienteleError('token_revoked')
  assertMethodAllowed(account.policy.rules, 'id_token')
  const isByEmail = account.found === undefined && issuer.linkByEmail && email !== undefined
  const found = isByEmail ? await findByAddress(services, accountId, token, email) : account.found
  const holder = found && {
    ...found,
    tokensNotBefore: await readTokensNotBefore(
      services,
      accountId,
      found.user.id,
      found.tokensNotBefore,
    ),
  }
  return { account, holder }
}

async function findByAddress(
  { repository }: SignInServices,
  accountId: string,
  { isEmailVerified }: IdToken,
  email: string,
): Promise<Holder | undefined> {
  const found = await repository.users.findCredentials(accountId, email)
  if (found === undefined) return undefined
  // A user with a second factor is not linked: an attacker with the mailbox alone would be linked before the factor is
  // asked for. But if the address is proved now for the first time, an earlier second factor may be an attacker's: then
  // it ends, and the user is linked.
  const userId = found.user.id
  const factor = await repository.mfa.find(accountId, userId)
  if (!isEnrolled(factor)) return found
  const isProvedNow =
    isEmailVerified &&
    (await repository.emailTokens.findVerifiedAt(accountId, userId)) === undefined
  return isProvedNow ? found : undefined
}

/** Makes all checks that are possible before the token is used up; returns the address of the user to link. */
async function assertUsable(
  services: SignInServices,
  accountId: string,
  token: IdToken,
  holder: Holder | undefined,
  create: boolean,
): Promise<string> {
  const { repository } = services
  if (holder !== undefined) {
    const { user } = holder
    if (!user.isActive) throw new ClienteleError('token_user_inactive')
    assertIssuedSince(token, holder)
    return user.email
  }
  const { email } = token
  if (!create) throw new ClienteleError('token_user_not_found')
  if (email === undefined) throw new ClienteleError('token_claims_invalid')
  const isTaken = (await repository.users.findCredentials(accountId, email)) !== undefined
  if (isTaken) throw new ClienteleError('email_taken')
  assertCreatable(services)
  return email
}

/** Ensures that the identity is linked to a user. Undefined: the user is another than the hooks were asked about. */
async function claim(
  services: SignInServices,
  call: Call,
  token: IdToken,
  owner: Holder | { newUser: StoredUser },
  email: string,
  sessionId: string,
  approved: ApprovedSignIn | undefined,
): Promise<ClaimedUser | undefined> {
  try {
    if ('newUser' in owner)
      return await createClaimedUser(services, call, token, owner.newUser, approved)
    const { identityId } = owner
    if (identityId !== undefined) return { ...owner, identityId }
    return await linkByEmail(services, call, token, email, owner, sessionId, approved)
  } catch (error) {
    // Another token of the same person may have linked the identity at the same moment.
    const { issuer, subject } = token
    const { findCredentials } = services.repository.identities
    const known = await findCredentials(call.accountId, issuer.issuer, subject)
    if (known === undefined || !known.user.isActive || !isTaken(error)) throw error
    assertIssuedSince(token, known)
    return known
  }
}

function isTaken(error: unknown): boolean {
  const codes: readonly string[] = ['email_taken', 'identity_taken']
  return error instanceof ClienteleError && codes.includes(error.code)
}

function isRefusal(error: unknown): boolean {
  return error instanceof ClienteleError && error.code.startsWith('token_')
}

function ofAddress({ accountId, clientAddress }: Call): Attempt | undefined {
  if (clientAddress === undefined) return undefined
  const target = `id-token from ${toClientNetwork(clientAddress)}`
  return { accountId, target, clientAddress }
}

/** Separate from failed passwords: an attacker with an old token of a user must not lock the user out. */
function ofHolder(
  { accountId, clientAddress }: Call,
  holder: Holder | undefined,
): Attempt | undefined {
  return holder && { accountId, target: toIdTokenTarget(holder.user.id), clientAddress }
}

async function countFailures<T>(
  { loginThrottle }: SignInServices,
  attempt: Attempt | undefined,
  work: () => Promise<T>,
): Promise<T> {
  if (attempt === undefined) return work()
  const hasFailures = await loginThrottle.check('login', attempt)
  try {
    const done = await work()
    if (hasFailures) await loginThrottle.succeed('login', attempt)
    return done
  } catch (error) {
    if (isRefusal(error) && !isUsed(error)) await loginThrottle.fail('login', attempt)
    throw error
  }
}

/** A repeated token is no guess. */
function isUsed(error: unknown): boolean {
  return error instanceof ClienteleError && error.code === 'token_revoked'
}
