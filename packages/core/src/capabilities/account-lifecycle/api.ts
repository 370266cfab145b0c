import { readCall } from '../../base/call/call.ts'
import {
  type AccountLifecycleMethods,
  type NewAccountArguments,
  readNewAccount,
} from '../accounts/api.ts'
import { findAccount } from '../accounts/find-account.ts'
import { bootstrap } from './bootstrap.ts'
import { deleteAccount } from './delete-account.ts'
import type { AccountLifecycleServices } from './services.ts'

export function createAccountLifecycleApi(services: AccountLifecycleServices): {
  accounts: AccountLifecycleMethods
} {
  const { repository } = services
  return {
    accounts: {
      bootstrap: async (...given: NewAccountArguments) =>
        bootstrap(services, ...readNewAccount(services, given)),
      delete: async (call) => deleteAccount(services, readCall(services, call)),
      recount: async (call) => {
        const { id } = await findAccount(services, readCall(services, call))
        return repository.users.recount(id)
      },
    },
  }
}
