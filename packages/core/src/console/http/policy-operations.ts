import { toWire, toWireName, wireObject } from '../../base/input/wire-names.ts'
import type { Account } from '../../capabilities/accounts/account.ts'
import { setPolicySchema } from '../../capabilities/accounts/account-policy.ts'
import { findAccount } from '../../capabilities/accounts/find-account.ts'
import { setPolicy } from '../../capabilities/accounts/set-policy.ts'
import { defaultMinPasswordLength } from '../../capabilities/passwords/password-policy.ts'
import type { HttpResponse } from '../../http/message.ts'
import { respondWithJson } from '../../http/render.ts'
import type { ConsoleServices } from '../services.ts'
import { type ConsoleOperation, defineOperation, operatorsOfAccount } from './console-operation.ts'

/** What the account demands of sign-ins and passwords, beside what the service allows. */
export function createPolicyOperations(services: ConsoleServices): ConsoleOperation[] {
  const { passwordPolicy, sessionTtlSeconds, sessionMaxSeconds } = services
  const minPasswordLength = passwordPolicy.minLength ?? defaultMinPasswordLength
  const service = toWire({ minPasswordLength, sessionTtlSeconds, sessionMaxSeconds })
  const respond = ({ policy }: Account): HttpResponse =>
    respondWithJson(200, JSON.stringify({ policy: toWire(policy), service }))

  return [
    defineOperation(operatorsOfAccount, {
      id: 'readConsolePolicy',
      method: 'GET',
      path: '/policy',
      summary: 'Read the policy of the account',
      handle: async ({ call }) => respond(await findAccount(services, call)),
    }),
    defineOperation(operatorsOfAccount, {
      id: 'changeConsolePolicy',
      method: 'PATCH',
      path: '/policy',
      summary: 'Change the given members of the policy of the account',
      bodySchema: wireObject(setPolicySchema.shape),
      handle: async ({ call }, { body }) =>
        respond(await setPolicy(services, call, body, toWireName)),
    }),
  ]
}
