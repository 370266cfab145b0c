import { type Call, operator, system } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { idSchema } from '../../base/input/id.ts'
import { toUserRules } from '../../capabilities/accounts/find-account.ts'
import { authenticateApiKey } from '../../capabilities/api-keys/authenticate-api-key.ts'
import { scopeInsufficient } from '../../capabilities/api-keys/scope-insufficient.ts'
import { type HttpRequest, readHeader } from '../../http/message.ts'
import type { AboutRequest } from '../../mount/handle-request.ts'
import type { SubjectState } from '../../user-model/subject-state.ts'
import type { ConsoleServices } from '../services.ts'
import type { Access } from './console-operation.ts'
import type { ConsoleOptions } from './console-options.ts'
import { withVisitor } from './find-visitor.ts'
import { isSentByPage, renewSessionCookie } from './session-cookie.ts'

interface Admission {
  call: Call
  subject: SubjectState | undefined
  /** `Set-Cookie` with the renewed session; undefined: unchanged */
  cookie?: string | undefined
}

/**
 * Authenticates the caller by the session of the request, or by the host's `authorize`.
 *
 * @throws ClienteleError `console_request_forged`, `console_session_missing`, `console_operator_required`,
 *   `scope_insufficient`, `account_not_found`, `account_disabled`, `header_invalid`, `storage_unavailable`
 */
export async function admitVisitor(
  services: ConsoleServices,
  options: ConsoleOptions,
  request: HttpRequest,
  access: Access,
  about: AboutRequest,
): Promise<Admission> {
  const { requestId } = about
  const { clientAddress } = request
  const anonymous = { accountId: '', actor: system, requestId, clientAddress }
  if (access.of === 'page') return { call: anonymous, subject: undefined }
  assertNotForged(request)
  if (access.of === 'unauthenticated') return { call: anonymous, subject: undefined }
  return withVisitor(services, options, request, async (visitor) => {
    const found = await (visitor.kind === 'account'
      ? admitAccount(services, request, visitor.apiKey, access, about)
      : admitOperator(services, request, access, about))
    return { ...found, cookie: renewSessionCookie(services, request, visitor) }
  })
}

/** A page of another origin can send this header only after a preflight request, which is never answered. */
function assertNotForged(request: HttpRequest): void {
  const site = readHeader(request, 'sec-fetch-site')
  const isOurs = isSentByPage(request)
  if (!isOurs || (site !== undefined && site !== 'same-origin'))
    throw new ClienteleError('console_request_forged')
}

/** The API key is checked with every request: when it ends, its sessions end. */
async function admitAccount(
  services: ConsoleServices,
  request: HttpRequest,
  apiKey: string,
  access: Access,
  { requestId, subject }: AboutRequest,
): Promise<Admission> {
  const { clientAddress } = request
  const found = await authenticateApiKey(services, apiKey, {
    requestId,
    clientAddress,
    subject,
  }).catch((error: unknown) => {
    const isRefused = error instanceof ClienteleError && error.code === 'api_key_invalid'
    throw isRefused ? new ClienteleError('console_session_missing') : error
  })
  if (access.of === 'operators') throw new ClienteleError('console_operator_required')
  const { call, key } = found
  const named = readAccountHeader(request)
  if (named !== undefined && named !== call.accountId) throw new ClienteleError('account_not_found')
  const missing = access.scopes.filter((scope) => !key.scopes.includes(scope))
  if (missing.length > 0) throw scopeInsufficient(missing)
  return { call, subject: found.subject }
}

async function admitOperator(
  services: ConsoleServices,
  request: HttpRequest,
  access: Access,
  { requestId, subject: asked }: AboutRequest,
): Promise<Admission> {
  const { repository, clock } = services
  const { clientAddress } = request
  const caller = { actor: operator, requestId, clientAddress }
  if (!access.isOfAccount) return { call: { ...caller, accountId: '' }, subject: undefined }
  const accountId = readAccountHeader(request)
  if (accountId === undefined)
    throw new ClienteleError('header_invalid', 'Say which account: Clientele-Account: <its id>.')
  const account = await repository.accounts.findSettings(accountId)
  if (account === undefined) throw new ClienteleError('account_not_found')
  if (access.needsEnabled && account.disabledAt !== null)
    throw new ClienteleError('account_disabled')
  const subject = asked && (await repository.users.findSubject(accountId, clock(), asked))
  return { call: { ...caller, accountId, rules: toUserRules(account) }, subject }
}

/** @throws ClienteleError `account_not_found` for an invalid id */
function readAccountHeader(request: HttpRequest): string | undefined {
  const text = readHeader(request, 'clientele-account')
  if (text === undefined) return undefined
  const { success, data } = idSchema.safeParse(text)
  if (!success) throw new ClienteleError('account_not_found')
  return data
}
