import { operator } from '../base/call/call.ts'
import { scopes } from '../base/call/scope.ts'
import { ClienteleError } from '../base/errors.ts'
import { readPolicy } from '../capabilities/accounts/account-policy.ts'
import { listAccounts } from '../capabilities/accounts/list-accounts.ts'
import { signInMethods } from '../capabilities/accounts/sign-in-methods.ts'
import { openSession, type SignedIn } from '../capabilities/sessions/open-session.ts'
import { startClientele } from '../clientele/create-clientele.ts'
import type { Services } from '../clientele/create-services.ts'
import { sqlite } from '../repository/sqlite.ts'
import { addDevice } from './add-device.ts'
import { addPasskey } from './add-passkey.ts'
import { createTenant } from './create-tenant.ts'
import type { TestClientele, TestClienteleOptions } from './test-clientele.ts'
import { createTestClock } from './test-clock.ts'
import { createTestMails } from './test-mails.ts'

/** The user was deleted just now. */
const nobody = { policy: readPolicy(null), found: undefined }
/** Hash parameters with nearly no cost. */
const cheapHashing = { memoryKiB: 8, passes: 1 }
/** How long to wait for e-mails under way, in milliseconds */
const settleMs = 5_000

/**
 * Creates a Clientele for tests: in memory, with a clock that you move, cheap password hashes, and a list that collects
 * e-mails. Webhooks and other issuers may have local addresses. Everything else is as in production; `options` may
 * change everything except the storage.
 *
 * @throws ClienteleError `configuration_invalid` for a wrong option, without better-sqlite3, and if `NODE_ENV` is
 *   `production`
 *
 * @example
 * import { createTestClientele } from '@clientele/core/testing'
 *
 * await using world = await createTestClientele()
 * const { clientele, clock, mails } = world
 * const { account, apiKey } = await world.createAccount() // apiKey is for requests over HTTP
 * const { user } = await world.createUser(account.id, { name: 'Ada Lovelace' })
 * await clientele.auth.forgotPassword(account.id, { email: user.email })
 * const { secret } = await mails.last(user.email)
 * await clientele.auth.resetPassword(account.id, { token: secret, password: 'a new password' })
 * const authorization = `Bearer ${await world.tokenFor(user)}`
 * clock.advance(2 * 3600 * 1000) // the token has expired
 */
export async function createTestClientele(
  options: TestClienteleOptions = {},
): Promise<TestClientele> {
  if (process.env.NODE_ENV === 'production') {
    throw new ClienteleError(
      'configuration_invalid',
      'createTestClientele is for tests: its password hashes are easy to break, and NODE_ENV is production.',
    )
  }
  if ('repository' in Object(options)) {
    throw new ClienteleError(
      'configuration_invalid',
      'createTestClientele takes no repository: it keeps everything in memory.',
    )
  }
  const clock = createTestClock(options.clock)
  const { mails, catchMail } = createTestMails(
    () => services.tasks.settle(settleMs),
    options.sendMail,
  )
  const { clientele, services } = await startClientele({
    environment: 'test',
    lazyKeys: true,
    ...options,
    passwords: {
      ...options.passwords,
      hashing: { ...cheapHashing, ...options.passwords?.hashing },
    },
    webhooks: { allowPrivateAddresses: true, ...options.webhooks },
    trustedIssuers: { allowPrivateAddresses: true, ...options.trustedIssuers },
    clock: clock.now,
    sendMail: catchMail,
    repository: sqlite({ filename: ':memory:' }),
  })
  let users = 0
  const createAccount: TestClientele['createAccount'] = async ({ policy, ...input } = {}) => {
    const created = await clientele.accounts.create({ name: 'Test', ...input })
    const account = policy ? await clientele.accounts.setPolicy(created.id, policy) : created
    const { apiKey } = await clientele.apiKeys.create(account.id, {
      name: 'test',
      scopes: [...scopes],
    })
    return { account, apiKey }
  }
  const createUser: TestClientele['createUser'] = async (accountId, input) => {
    if (typeof accountId !== 'string')
      throw wrongArgument('createUser takes the id of an account: createUser(account.id).')
    const email = `user-${++users}@example.com`
    const password = input?.password ?? 'a password for tests'
    const all = { name: `User ${users}`, email, ...input, password }
    return { ...(await clientele.users.create(accountId, all)), password }
  }
  const makers = { clientele, clock, mails, createAccount, createUser }
  return {
    ...makers,
    createTenant: (objects = {}, profile = {}) =>
      createTenant(
        {
          ...makers,
          addPasskey: (accountId, userId) => addPasskey(services, accountId, userId),
          addDevice: (accountId, userId) => addDevice(services, accountId, userId),
        },
        objects,
        profile,
      ),
    tokenFor: async (user) => {
      if (typeof Object(user).id !== 'string')
        throw wrongArgument('tokenFor takes a user, not the id alone: tokenFor(user).')
      return (await signIn(services, user.id)).token
    },
    close: () => clientele.close(),
    [Symbol.asyncDispose]: () => clientele.close(),
  }
}

function wrongArgument(message: string): ClienteleError {
  return new ClienteleError('configuration_invalid', message)
}

/** Opens a session, as a sign-in does that the account's policy allows. */
async function signIn(services: Services, userId: string): Promise<SignedIn> {
  const { repository, newRequestId } = services
  for (const { id: accountId } of await listAccounts(services)) {
    const found = await repository.users.find(accountId, userId)
    if (found === undefined) continue
    const { email } = found.user
    const { policy, found: credentials } =
      (await repository.signIn.findByEmail(accountId, email)) ?? nobody
    const call = {
      ...{ accountId, actor: operator, clientAddress: undefined },
      requestId: newRequestId(),
    }
    const [method = 'password'] = policy.rules.signIn
    const passwordHash = credentials?.passwordHash ?? null
    const compared = { passwordHash, policy, isEmailVerified: true }
    const amr = [signInMethods[method][0], 'mfa']
    const { secondFactor } = policy.rules
    const methods = secondFactor === 'required' ? amr : amr.slice(0, 1)
    return openSession(services, call, found.user, methods, compared)
  }
  throw new ClienteleError('user_not_found')
}
