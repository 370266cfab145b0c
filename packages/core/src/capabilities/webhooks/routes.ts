import { z } from 'zod'
import { idSchema, pathIdSchema } from '../../base/input/id.ts'
import { secretMark } from '../../base/input/secret-mark.ts'
import { toWire } from '../../base/input/wire-names.ts'
import { respondWithJson, respondWithoutBody } from '../../http/render.ts'
import { defineRoute, type Route, type Tag } from '../../http/route.ts'
import { countSchema, timeSchema } from '../../http/wire-schemas.ts'
import { createWebhook } from './create-webhook.ts'
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
  disabledReasons,
  maxWebhooks,
  newWebhookWireSchema,
  replayWireSchema,
  webhookChangesWireSchema,
  webhookFailures,
} from './webhook.ts'

const tag: Tag = {
  name: 'Webhooks',
  description:
    'Endpoints that events are sent to, signed as in Standard Webhooks 1.0, with retries.',
}
const scope = 'webhooks:write'
const root = '/client/webhook'
const base = `${root}/{id}`
const pathSchema = z.object({ id: pathIdSchema('webhook_not_found') })

const webhookShape = {
  id: idSchema,
  url: z.string().meta({ format: 'uri', examples: ['https://example.com/webhooks'] }),
  types: z.array(z.string()).meta({ examples: [['user.*']] }),
  description: z.string().meta({ examples: ['Our CRM'] }),
  is_active: z.boolean(),
  disabled_reason: z.enum(disabledReasons).nullable().meta({
    description:
      'Why the service switched it off: it answered 410 (`gone`), or every attempt failed for five days (`failing`); null: the service did not',
  }),
  created_at: timeSchema,
  updated_at: timeSchema,
}
const webhookSchema = z.object(webhookShape).meta({ id: 'Webhook' })
const secret = z.string().meta({
  ...secretMark,
  description:
    'The secret that verifies the signatures (Standard Webhooks 1.0), shown only this time',
  examples: ['whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD0Zqm2Vn3YVk='],
})
const createdSchema = z.object({ ...webhookShape, secret }).meta({ id: 'CreatedWebhook' })
const listSchema = z
  .object({ data: z.array(webhookSchema).max(maxWebhooks) })
  .meta({ id: 'WebhookList' })
const attemptsSchema = z
  .object({
    data: z
      .array(
        z.object({
          id: idSchema,
          event_id: idSchema,
          type: z.string().meta({ examples: ['user.created'] }),
          attempt: countSchema(10, 1),
          status: z
            .int()
            .min(100)
            .max(599)
            .meta({ format: 'int32', examples: [204] })
            .nullable()
            .describe('The status of the response; null: no response'),
          reason: z
            .enum(webhookFailures)
            .nullable()
            .describe(
              'Why there was no response: `no_answer`: a timeout, or the address is forbidden; `error`: a fault of the service itself',
            ),
          attempted_at: timeSchema,
          duration_ms: countSchema(2_147_483_647, 112),
        }),
      )
      .max(100),
  })
  .meta({ id: 'WebhookAttempts' })

export function createWebhookRoutes(services: WebhooksServices): Route[] {
  return [
    defineRoute({
      id: 'createWebhook',
      method: 'POST',
      path: root,
      summary: 'Add an endpoint, which receives all later events',
      tag,
      scope,
      bodySchema: newWebhookWireSchema,
      responses: {
        201: {
          description: 'The endpoint, with its secret',
          schema: createdSchema,
          headers: ['Location'],
        },
      },
      errors: ['webhook_limit_reached'],
      handle: async ({ call, request }, { body }) => {
        const created = await createWebhook(services, call, body)
        return respondWithJson(201, JSON.stringify(toWire(created)), {
          location: `${services.publicPath ?? request.mountPath}${root}/${created.id}`,
        })
      },
    }),
    defineRoute({
      id: 'listWebhooks',
      method: 'GET',
      path: root,
      summary: 'List the endpoints, oldest first',
      tag,
      scope,
      responses: { 200: { description: 'The endpoints', schema: listSchema } },
      errors: [],
      handle: async ({ call }) => {
        const records = await services.repository.webhooks.list(call.accountId)
        const data = records.map((record) => toWire(toWebhook(record)))
        return respondWithJson(200, JSON.stringify({ data }))
      },
    }),
    defineRoute({
      id: 'findWebhook',
      method: 'GET',
      path: base,
      summary: 'Read an endpoint',
      tag,
      scope,
      pathSchema,
      responses: { 200: { description: 'The endpoint', schema: webhookSchema } },
      errors: ['webhook_not_found'],
      handle: async ({ call }, { path }) => {
        const webhook = toWebhook(await findWebhook(services, call, path.id))
        return respondWithJson(200, JSON.stringify(toWire(webhook)))
      },
    }),
    defineRoute({
      id: 'patchWebhook',
      method: 'PATCH',
      path: base,
      summary: 'Change an endpoint; missing members stay',
      tag,
      scope,
      pathSchema,
      bodySchema: webhookChangesWireSchema,
      responses: { 200: { description: 'The endpoint', schema: webhookSchema } },
      errors: ['webhook_not_found'],
      handle: async ({ call }, { path, body }) => {
        const webhook = await updateWebhook(services, call, path.id, body)
        return respondWithJson(200, JSON.stringify(toWire(webhook)))
      },
    }),
    defineRoute({
      id: 'deleteWebhook',
      method: 'DELETE',
      path: base,
      summary: 'Delete an endpoint and its waiting deliveries',
      tag,
      scope,
      pathSchema,
      responses: { 204: { description: 'The endpoint is gone' } },
      errors: ['webhook_not_found'],
      handle: async ({ call }, { path }) => {
        await deleteWebhook(services, call, path.id)
        return respondWithoutBody(204)
      },
    }),
    defineRoute({
      id: 'rotateWebhookSecret',
      method: 'POST',
      path: `${base}/secret/rotate`,
      summary: 'Rotate the secret; for 24 hours the previous one signs, too',
      tag,
      scope,
      pathSchema,
      responses: {
        200: {
          description: 'The new secret',
          schema: z.object({ secret }).meta({ id: 'WebhookSecret' }),
        },
      },
      errors: ['webhook_not_found'],
      handle: async ({ call }, { path }) =>
        respondWithJson(200, JSON.stringify(await rotateWebhookSecret(services, call, path.id))),
    }),
    defineRoute({
      id: 'testWebhook',
      method: 'POST',
      path: `${base}/test`,
      requestHeaders: ['Idempotency-Key'],
      summary: 'Send a test message once: a body like an event’s, of the type webhook.test',
      tag,
      scope,
      pathSchema,
      responses: { 202: { description: 'The test will be sent' } },
      errors: ['webhook_not_found'],
      handle: async ({ call }, { path }) => {
        await testWebhook(services, call, path.id)
        return respondWithoutBody(202)
      },
    }),
    defineRoute({
      id: 'replayWebhook',
      method: 'POST',
      path: `${base}/replay`,
      requestHeaders: ['Idempotency-Key'],
      summary: 'Resend every event after a cursor of the feed',
      tag,
      scope,
      pathSchema,
      bodySchema: replayWireSchema,
      responses: { 202: { description: 'The events will be sent again, with their original ids' } },
      errors: ['webhook_not_found', 'webhook_inactive', 'cursor_expired'],
      handle: async ({ call }, { path, body }) => {
        await replayWebhook(services, call, path.id, body)
        return respondWithoutBody(202)
      },
    }),
    defineRoute({
      id: 'listWebhookAttempts',
      method: 'GET',
      path: `${base}/attempt`,
      summary: 'List the last delivery attempts, latest first',
      tag,
      scope,
      pathSchema,
      responses: { 200: { description: 'At most 100 attempts', schema: attemptsSchema } },
      errors: ['webhook_not_found'],
      handle: async ({ call }, { path }) => {
        const attempts = await listWebhookAttempts(services, call, path.id)
        return respondWithJson(200, JSON.stringify({ data: attempts.map(toWire) }))
      },
    }),
  ]
}
