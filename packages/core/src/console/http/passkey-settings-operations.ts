import { z } from 'zod'
import { toWire, wireObject } from '../../base/input/wire-names.ts'
import type { Account } from '../../capabilities/accounts/account.ts'
import { findAccount } from '../../capabilities/accounts/find-account.ts'
import { passkeySettingsSchema } from '../../capabilities/accounts/passkey-settings.ts'
import { configurePasskeys } from '../../capabilities/passkeys/configure-passkeys.ts'
import type { HttpResponse } from '../../http/message.ts'
import { respondWithJson } from '../../http/render.ts'
import type { ConsoleServices } from '../services.ts'
import { type ConsoleOperation, defineOperation, operatorsOfAccount } from './console-operation.ts'

/** The passkey settings of an account. */
export function createPasskeySettingsOperations(services: ConsoleServices): ConsoleOperation[] {
  return [
    defineOperation(operatorsOfAccount, {
      id: 'readConsolePasskeySettings',
      method: 'GET',
      path: '/passkey-settings',
      summary: 'Read the passkey settings of the account',
      handle: async ({ call }) => respondWithSettings(await findAccount(services, call)),
    }),
    defineOperation(operatorsOfAccount, {
      id: 'changeConsolePasskeySettings',
      method: 'PUT',
      path: '/passkey-settings',
      summary: 'Change the passkey settings of the account',
      bodySchema: wireObject({ ...passkeySettingsSchema.shape, force: z.boolean().default(false) }),
      handle: async ({ call }, { body: { force, ...settings } }) =>
        respondWithSettings(await configurePasskeys(services, call, settings, force)),
    }),
  ]
}

/** Null: not configured. */
function respondWithSettings({ passkeys }: Account): HttpResponse {
  return respondWithJson(200, JSON.stringify({ passkeys: passkeys && toWire(passkeys) }))
}
