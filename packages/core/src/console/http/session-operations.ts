import { z } from 'zod'
import type { Call } from '../../base/call/call.ts'
import { scopes as allScopes, type Scope } from '../../base/call/scope.ts'
import { ClienteleError } from '../../base/errors.ts'
import { lowestId } from '../../base/input/id.ts'
import { toIsoText } from '../../base/input/instant.ts'
import { authenticateApiKey } from '../../capabilities/api-keys/authenticate-api-key.ts'
import type { HttpRequest } from '../../http/message.ts'
import { respondWithJson, respondWithoutBody } from '../../http/render.ts'
import { endSession, startSession } from '../console-session.ts'
import { takeLink } from '../create-link.ts'
import type { ConsoleServices } from '../services.ts'
import { type ConsoleOperation, defineOperation, unauthenticated } from './console-operation.ts'
import type { ConsoleOptions } from './console-options.ts'
import { askHost, listSessions, withVisitor } from './find-visitor.ts'
import { renderSessionCookie, renewSessionCookie } from './session-cookie.ts'
import type { Visitor } from './visitor.ts'

/** Larger than any key or link: anyone may send it. */
const maxSignInBytes = 4 * 1024

const secretSchema = z.string().min(1).max(200)
const signInSchema = z
  .strictObject({ api_key: secretSchema.optional(), link: secretSchema.optional() })
  .refine((body) => body.api_key === undefined || body.link === undefined, {
    params: { code: 'value' },
    message: 'must have at most one of api_key and link',
  })

/** Signing in to the console and signing out. */
export function createSessionOperations(
  services: ConsoleServices,
  options: ConsoleOptions,
): ConsoleOperation[] {
  /** @throws ClienteleError `console_session_missing` when the account's API key is no longer valid */
  async function describeVisitor(services: ConsoleServices, call: Call, visitor: Visitor) {
    const { account, scopes } =
      visitor.kind === 'account'
        ? await findKeyHolder(services, call, visitor.apiKey)
        : { account: null, scopes: allScopes }
    return {
      kind: visitor.kind,
      name: visitor.kind === 'operator' ? visitor.name : account?.name,
      account,
      scopes,
      can_authorize: options.authorize !== undefined,
      // The host's `authorize` is called with each request and needs no session.
      expires_at: visitor.expiresAt === undefined ? null : toIsoText(visitor.expiresAt),
    }
  }

  return [
    defineOperation(unauthenticated, {
      id: 'signInToConsole',
      method: 'POST',
      path: '/session',
      summary:
        'Open a session with an API key, with a link that works once, or by the authorize function of the host',
      bodySchema: signInSchema,
      maxBodyBytes: maxSignInBytes,
      handle: async ({ call, request }, { body }) => {
        const visitor = await signIn(services, options, call, request, body)
        const session = await describeVisitor(services, call, visitor)
        const { requestId, clientAddress } = call
        const { kind, name, account } = session
        services.logger.info(
          { requestId, clientAddress, kind, name, accountId: account?.id },
          'A sign-in to the console succeeded.',
        )
        const isHeld = visitor.expiresAt !== undefined
        // An older cookie would take precedence over `authorize`.
        const isSet = isHeld || (await listSessions(services, request)).length > 0
        const cookie = renderSessionCookie(services, request, isHeld ? visitor : undefined)
        const fields = isSet ? { 'set-cookie': cookie } : {}
        return respondWithJson(201, JSON.stringify(session), fields)
      },
    }),
    defineOperation(unauthenticated, {
      id: 'readConsoleSession',
      method: 'GET',
      path: '/session',
      summary: 'The holder of the session and its rights',
      handle: async ({ call, request }) => {
        return withVisitor(services, options, request, async (visitor) => {
          const session = await describeVisitor(services, call, visitor)
          const cookie = renewSessionCookie(services, request, visitor)
          return respondWithJson(
            200,
            JSON.stringify(session),
            cookie === undefined ? {} : { 'set-cookie': cookie },
          )
        })
      },
    }),
    defineOperation(unauthenticated, {
      id: 'signOutOfConsole',
      method: 'DELETE',
      path: '/session',
      summary: 'End the session',
      handle: async ({ request }) => {
        for (const session of await listSessions(services, request))
          await endSession(services, session)
        return respondWithoutBody(204, {
          'set-cookie': renderSessionCookie(services, request, undefined),
        })
      },
    }),
  ]
}

async function signIn(
  services: ConsoleServices,
  options: ConsoleOptions,
  call: Call,
  request: HttpRequest,
  { api_key: apiKey, link }: z.infer<typeof signInSchema>,
): Promise<Visitor> {
  if (apiKey !== undefined) {
    const found = await throttleFailures(services, call, () =>
      authenticateApiKey(services, apiKey, call),
    )
    return startSession(services, { kind: 'account', apiKey }, found.call.accountId)
  }
  if (link !== undefined) {
    await throttleFailures(services, call, async () => {
      if (!(await takeLink(services, link))) throw new ClienteleError('console_link_invalid')
    })
    return startSession(services, { kind: 'operator', name: 'Operator' })
  }
  return askHost(options, request)
}

/**
 * Counts failed sign-ins. A correct key or link is accepted even after many failures, so that an attacker cannot lock
 * operators out; 256 random bits cannot be guessed.
 *
 * @throws ClienteleError `rate_limited` instead of the usual error, after many failures
 */
async function throttleFailures<T>(
  { loginThrottle, logger }: ConsoleServices,
  { requestId, clientAddress }: Call,
  check: () => Promise<T>,
): Promise<T> {
  try {
    return await check()
  } catch (error) {
    const codes = ['api_key_invalid', 'console_link_invalid']
    if (error instanceof ClienteleError && codes.includes(error.code)) {
      logger.warn(
        { requestId, clientAddress, code: error.code },
        'A sign-in to the console failed.',
      )
      // These sign-ins belong to no account.
      const attempt = { accountId: lowestId, target: 'console', clientAddress }
      await loginThrottle.take('console', attempt)
    }
    throw error
  }
}

async function findKeyHolder(
  services: ConsoleServices,
  call: Call,
  apiKey: string,
): Promise<{ account: { id: string; name: string }; scopes: Scope[] }> {
  const { call: found, key } = await authenticateApiKey(services, apiKey, call).catch(
    (error: unknown) => {
      const isRefused = error instanceof ClienteleError && error.code === 'api_key_invalid'
      throw isRefused ? new ClienteleError('console_session_missing') : error
    },
  )
  const account = await services.repository.accounts.findSettings(found.accountId)
  if (account === undefined) throw new ClienteleError('console_session_missing')
  return { account: { id: account.id, name: account.name }, scopes: key.scopes }
}
