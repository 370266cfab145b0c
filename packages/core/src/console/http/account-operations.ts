import { z } from 'zod'
import { invalidInput } from '../../base/errors.ts'
import { idSchema, lowestId, pathIdSchema } from '../../base/input/id.ts'
import { toWire, wireObject } from '../../base/input/wire-names.ts'
import { deleteAccount } from '../../capabilities/account-lifecycle/delete-account.ts'
import {
  type Account,
  newAccountSchema,
  updateAccountSchema,
} from '../../capabilities/accounts/account.ts'
import { createAccount } from '../../capabilities/accounts/create-account.ts'
import { findAccount, findAccountSettings } from '../../capabilities/accounts/find-account.ts'
import { searchAccounts } from '../../capabilities/accounts/list-accounts.ts'
import { setAccountDisabled } from '../../capabilities/accounts/set-account-disabled.ts'
import { updateAccount } from '../../capabilities/accounts/update-account.ts'
import { newApiKeySchema } from '../../capabilities/api-keys/api-key.ts'
import { createApiKey } from '../../capabilities/api-keys/create-api-key.ts'
import { respondWithJson, respondWithoutBody } from '../../http/render.ts'
import type { ConsoleServices } from '../services.ts'
import { type ConsoleOperation, defineOperation, operators } from './console-operation.ts'

const pathSchema = z.object({ account_id: pathIdSchema('account_not_found') })

/** The accounts: operators create, change, disable and delete them. */
export function createAccountOperations(services: ConsoleServices): ConsoleOperation[] {
  return [
    defineOperation(operators, {
      id: 'listConsoleAccounts',
      method: 'GET',
      path: '/accounts',
      summary: 'A page of accounts, in the order of their ids, or of those that a search finds',
      querySchema: z.strictObject({
        q: z.string().max(300).default(''),
        after: idSchema.default(lowestId),
      }),
      handle: async (_context, { query }) => {
        const { accounts, next } = await searchAccounts(services, query)
        return respondWithJson(200, JSON.stringify({ accounts: accounts.map(toWire), next }))
      },
    }),
    defineOperation(operators, {
      id: 'readConsoleAccount',
      method: 'GET',
      path: '/accounts/{account_id}',
      summary: 'An account',
      pathSchema,
      handle: async ({ call }, { path }) => {
        const account = await findAccount(services, { ...call, accountId: path.account_id })
        return respondWithJson(200, JSON.stringify(renderAccount(account)))
      },
    }),
    defineOperation(operators, {
      id: 'createConsoleAccount',
      method: 'POST',
      path: '/accounts',
      summary: 'Create an account with its first API key',
      bodySchema: wireObject(newAccountSchema.shape),
      handle: async ({ call }, { body }) => {
        const account = await createAccount(services, body)
        const ofAccount = { ...call, accountId: account.id }
        const { apiKey } = await createApiKey(services, ofAccount, newApiKeySchema.parse({}))
        const made = { account: renderAccount(account), api_key: apiKey }
        return respondWithJson(201, JSON.stringify(made))
      },
    }),
    defineOperation(operators, {
      id: 'changeConsoleAccount',
      method: 'PATCH',
      path: '/accounts/{account_id}',
      summary: 'Change an account, disable it or enable it',
      pathSchema,
      bodySchema: wireObject({
        ...updateAccountSchema.shape,
        isDisabled: z.boolean().optional(),
      }),
      handle: async ({ call: caller }, { path, body }) => {
        const call = { ...caller, accountId: path.account_id }
        const { isDisabled, ...changes } = body
        const updated = await updateAccount(services, call, changes)
        const account =
          isDisabled === undefined ? updated : await setAccountDisabled(services, call, isDisabled)
        return respondWithJson(200, JSON.stringify(renderAccount(account)))
      },
    }),
    defineOperation(operators, {
      id: 'deleteConsoleAccount',
      method: 'DELETE',
      path: '/accounts/{account_id}',
      summary: 'Delete an account; the name of the account confirms it',
      pathSchema,
      bodySchema: z.strictObject({ name: z.string().max(400) }),
      handle: async ({ call: caller }, { path, body }) => {
        const call = { ...caller, accountId: path.account_id }
        const { name } = await findAccountSettings(services, call)
        if (body.name !== name)
          throw invalidInput([
            { pointer: '/name', code: 'value', message: "must be the account's name" },
          ])
        await deleteAccount(services, call)
        return respondWithoutBody(204)
      },
    }),
  ]
}

function renderAccount({ passkeys, policy, ...account }: Account): object {
  return { ...toWire(account), passkeys: passkeys && toWire(passkeys), policy: toWire(policy) }
}
