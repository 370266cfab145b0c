import { z } from 'zod'
import { type Actor, type CallInput, readCall } from '../../base/call/call.ts'
import { type Scope, scopes } from '../../base/call/scope.ts'
import { readId, readOptions, readText } from '../../base/input/call-arguments.ts'
import { parseInput } from '../../base/input/input.ts'
import {
  type ApiKey,
  type NewApiKey,
  newApiKeySchema,
  type RotateApiKey,
  rotateApiKeySchema,
} from './api-key.ts'
import { authenticateApiKey } from './authenticate-api-key.ts'
import { type CreatedApiKey, createApiKey } from './create-api-key.ts'
import { revokeApiKey } from './revoke-api-key.ts'
import { rotateApiKey } from './rotate-api-key.ts'
import type { ApiKeysServices } from './services.ts'

/** The account and the rights of an authenticated API key. */
export interface AuthenticatedApiKey {
  /** The account that the key belongs to */
  accountId: string
  apiKeyId: string
  scopes: Scope[]
  /** When the key expires; null: never */
  expiresAt: Date | null
  /** The key as the actor of a call: pass it on with `accountId`, so that events name the key */
  actor: Actor
}

export interface AuthenticateOptions {
  /** The scope that the key needs, otherwise `scope_insufficient`. @default none */
  scope?: Scope | undefined
}

/**
 * The secrets with which an account's backend authenticates. A secret is shown once; only its SHA-256 is stored.
 *
 * @example
 * const { id, apiKey } = await clientele.apiKeys.create(accountId, { name: 'backend', scopes: ['users:read'] })
 * const key = await clientele.apiKeys.authenticate(apiKey, { scope: 'users:read' })
 * await clientele.users.list({ accountId: key.accountId, actor: key.actor })
 * await clientele.apiKeys.revoke(accountId, id)
 */
export interface ApiKeysApi {
  /**
   * Creates an API key. Only this result contains its secret.
   *
   * @throws ClienteleError `account_not_found`, `validation_failed`
   */
  create(call: CallInput, input?: NewApiKey): Promise<CreatedApiKey>
  /**
   * Lists an account's API keys without their secrets, including expired ones, and revoked ones for 400 days. An
   * account that does not exist has none.
   *
   * @throws ClienteleError `validation_failed`
   */
  list(call: CallInput): Promise<ApiKey[]>
  /**
   * Authenticates an API key, as HTTP requests do. The use is recorded, at most once a minute.
   *
   * @throws ClienteleError `api_key_invalid` for an unknown, malformed, revoked or expired key and for a key of a
   *   disabled account; `scope_insufficient`; `validation_failed` when it is not a string
   */
  authenticate(secret: string, options?: AuthenticateOptions): Promise<AuthenticatedApiKey>
  /**
   * Creates a key with the name and scopes of another one. The old key expires after the overlap (in seconds, a day by
   * default), or at its own expiry if that is earlier.
   *
   * @throws ClienteleError `api_key_not_found` also for a revoked or expired key; `validation_failed`
   */
  rotate(call: CallInput, keyId: string, input?: RotateApiKey): Promise<CreatedApiKey>
  /**
   * Revokes a key from the next request on, in every process, and ends the impersonations that it opened.
   *
   * @throws ClienteleError `api_key_not_found`
   */
  revoke(call: CallInput, keyId: string): Promise<void>
}

const authenticateOptionsSchema = z.strictObject({ scope: z.enum(scopes).optional() }).default({})

export function createApiKeysApi(services: ApiKeysServices): { apiKeys: ApiKeysApi } {
  return {
    apiKeys: {
      create: async (call, input = {}) =>
        createApiKey(services, readCall(services, call), parseInput(newApiKeySchema, input)),
      list: async (call) => services.repository.apiKeys.list(readCall(services, call).accountId),
      authenticate: async (secret, options) => {
        const text = readText({ secret })
        const { scope } = readOptions(authenticateOptionsSchema, options)
        const requestId = services.newRequestId()
        const { call, key } = await authenticateApiKey(services, text, { requestId, scope })
        return {
          accountId: call.accountId,
          apiKeyId: key.id,
          scopes: key.scopes,
          expiresAt: key.expiresAt === null ? null : new Date(key.expiresAt),
          actor: call.actor,
        }
      },
      rotate: async (call, keyId, input = {}) =>
        rotateApiKey(
          services,
          readCall(services, call),
          readId({ keyId }),
          parseInput(rotateApiKeySchema, input),
        ),
      revoke: async (call, keyId) =>
        revokeApiKey(services, readCall(services, call), readId({ keyId })),
    },
  }
}
