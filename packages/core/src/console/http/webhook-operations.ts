import { toIsoText } from '../../base/input/instant.ts'
import { toWire } from '../../base/input/wire-names.ts'
import { respondWithJson } from '../../http/render.ts'
import type { ConsoleServices } from '../services.ts'
import { type ConsoleOperation, defineOperation, visitorsWith } from './console-operation.ts'

/** The health of an account's webhook endpoints. Their URLs may hold secrets. */
export function createWebhookOperations({ repository }: ConsoleServices): ConsoleOperation[] {
  return [
    defineOperation(visitorsWith('webhooks:write'), {
      id: 'listConsoleWebhookHealth',
      method: 'GET',
      path: '/webhook-health',
      summary: 'The health of the webhook endpoints',
      handle: async ({ call }) => {
        const webhooks = await repository.console.listWebhookHealth(call.accountId)
        const data = webhooks.map(({ failingSince, lastAttemptAt, ...webhook }) =>
          toWire({
            ...webhook,
            failingSince: toTime(failingSince),
            lastAttemptAt: toTime(lastAttemptAt),
          }),
        )
        return respondWithJson(200, JSON.stringify({ data }))
      },
    }),
  ]
}

function toTime(milliseconds: number | null): string | null {
  return milliseconds === null ? null : toIsoText(milliseconds)
}
