import type { z } from 'zod'
import type { Caller } from '../../base/call/call.ts'
import type { FirstAccount, newAccountSchema } from '../accounts/account.ts'
import { toNewAccount } from '../accounts/create-account.ts'
import { newApiKeySchema } from '../api-keys/api-key.ts'
import { makeApiKey } from '../api-keys/create-api-key.ts'
import { newEvent } from '../events/new-event.ts'
import type { AccountLifecycleServices } from './services.ts'

/** Creates an account with an API key, unless there is an account already. */
export async function bootstrap(
  services: AccountLifecycleServices,
  caller: Caller,
  input: z.output<typeof newAccountSchema>,
): Promise<FirstAccount | undefined> {
  const { repository, events, newId, clock } = services
  const id = newId()
  const createdAt = clock()
  const { name, scopes, expiresAt } = newApiKeySchema.parse({})
  const { record, created } = makeApiKey(services, id, { name, scopes, expiresAt })
  const origin = { accountId: id, ...caller }
  const event = newEvent(services, origin, 'api_key.created', record.id, { name, scopes })
  if (!(await repository.accountLifecycle.bootstrap(id, input, createdAt, record, event)))
    return undefined
  events.emit(event)
  return { account: toNewAccount(id, input, createdAt), apiKey: created.apiKey }
}
