import { type CallInput, readCall } from '../../base/call/call.ts'
import { readId } from '../../base/input/call-arguments.ts'
import { parseInput } from '../../base/input/input.ts'
import { type CreatedWebhook, createWebhook } from './create-webhook.ts'
import { deleteWebhook } from './delete-webhook.ts'
import { findWebhook } from './find-webhook.ts'
import { listWebhookAttempts } from './list-attempts.ts'
import { replayWebhook } from './replay-webhook.ts'
import { rotateWebhookSecret } from './rotate-webhook-secret.ts'
import type { WebhooksServices } from './services.ts'
import { testWebhook } from './test-webhook.ts'
import { toWebhook } from './to-webhook.ts'
import { updateWebhook } from './update-webhook.ts'
import {
  type NewWebhook,
  newWebhookSchema,
  replaySchema,
  type Webhook,
  type WebhookAttempt,
  type WebhookChanges,
  type WebhookReplay,
  webhookChangesSchema,
} from './webhook.ts'

/**
 * Endpoints that an account's events are sent to, signed as in Standard Webhooks 1.0. A process delivers them with
 * `createClientele({ webhooks: { deliver: true } })`.
 *
 * @example
 * const webhook = await clientele.webhooks.create(accountId, {
 *   url: 'https://example.com/webhooks', types: ['user.*'],
 * })
 * process.env.WEBHOOK_SECRET = webhook.secret // shown only this time
 */
export interface WebhooksApi {
  /**
   * Adds an endpoint, which receives all later events. An account has at most ten.
   *
   * @returns the endpoint with its secret, which is shown only this time
   * @throws ClienteleError `account_not_found`, `webhook_limit_reached`, `validation_failed`
   */
  create(call: CallInput, input: NewWebhook): Promise<CreatedWebhook>
  /**
   * Lists the endpoints of an account, oldest first. An account that does not exist has none.
   *
   * @throws ClienteleError `validation_failed`
   */
  list(call: CallInput): Promise<Webhook[]>
  /**
   * Reads an endpoint, without its secret.
   *
   * @throws ClienteleError `webhook_not_found`
   */
  find(call: CallInput, webhookId: string): Promise<Webhook>
  /**
   * Changes the given members and keeps the others. Events that happen while an endpoint is off are not sent later;
   * `replay` sends them.
   *
   * @throws ClienteleError `webhook_not_found`, `validation_failed`
   */
  update(call: CallInput, webhookId: string, changes: WebhookChanges): Promise<Webhook>
  /**
   * Deletes an endpoint and its waiting deliveries.
   *
   * @throws ClienteleError `webhook_not_found`
   */
  delete(call: CallInput, webhookId: string): Promise<void>
  /**
   * Gives an endpoint a new secret. For 24 hours messages are signed with both.
   *
   * @throws ClienteleError `webhook_not_found`
   */
  rotateSecret(call: CallInput, webhookId: string): Promise<{ secret: string }>
  /**
   * Sends a test message once: a body like an event's, of the type `webhook.test`. Supports `idempotencyKey` of the
   * call.
   *
   * @throws ClienteleError `webhook_not_found`, `idempotency_in_progress`, `idempotency_key_reused`
   */
  test(call: CallInput, webhookId: string): Promise<void>
  /**
   * Resends every event after a cursor of the feed, with the original ids. Supports `idempotencyKey` of the call.
   *
   * @throws ClienteleError `webhook_not_found`, `webhook_inactive`, `cursor_expired`, `validation_failed`,
   *   `idempotency_in_progress`, `idempotency_key_reused`
   */
  replay(call: CallInput, webhookId: string, input: WebhookReplay): Promise<void>
  /**
   * Lists the last delivery attempts, at most 100, latest first.
   *
   * @throws ClienteleError `webhook_not_found`
   */
  listAttempts(call: CallInput, webhookId: string): Promise<WebhookAttempt[]>
}

export function createWebhooksApi(services: WebhooksServices): { webhooks: WebhooksApi } {
  const { repository } = services
  return {
    webhooks: {
      create: async (call, input) =>
        createWebhook(services, readCall(services, call), parseInput(newWebhookSchema, input)),
      list: async (call) => {
        const { accountId } = readCall(services, call)
        return (await repository.webhooks.list(accountId)).map(toWebhook)
      },
      find: async (call, webhookId) =>
        toWebhook(await findWebhook(services, readCall(services, call), readId({ webhookId }))),
      update: async (call, webhookId, changes) => {
        const checked = parseInput(webhookChangesSchema, changes)
        return updateWebhook(services, readCall(services, call), readId({ webhookId }), checked)
      },
      delete: async (call, webhookId) =>
        deleteWebhook(services, readCall(services, call), readId({ webhookId })),
      rotateSecret: async (call, webhookId) =>
        rotateWebhookSecret(services, readCall(services, call), readId({ webhookId })),
      test: async (call, webhookId) =>
        testWebhook(services, readCall(services, call), readId({ webhookId })),
      replay: async (call, webhookId, input) => {
        const checked = parseInput(replaySchema, input)
        return replayWebhook(services, readCall(services, call), readId({ webhookId }), checked)
      },
      listAttempts: async (call, webhookId) =>
        listWebhookAttempts(services, readCall(services, call), readId({ webhookId })),
    },
  }
}
