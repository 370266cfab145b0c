import { callOperation } from './call-operation.ts'
import { type ClientOptions, readSettings } from './client-options.ts'
import { followEvents } from './follow-events.ts'
import type { ClientMethods, ListUsersOptions, ReadEventsOptions } from './generated/methods.ts'
import { operations } from './generated/operations.ts'
import type { ClientUser, EventFeed } from './generated/schemas.ts'
import { iterateUsers } from './iterate-users.ts'

/**
 * The operations of Clientele by their ids, and iterators that make many calls.
 *
 * A method takes the parameters of its path, then the body if there is one, then options: query parameters and header
 * fields by the names that they have in HTTP, and `signal`. It resolves with `data` or with a `problem`, and rejects
 * only when the signal aborts it, or with a TypeError when the arguments are not valid.
 */
export interface Client extends ClientMethods {
  /**
   * Reads every user of a list, page by page: 100 per page by default (`limit`).
   *
   * @throws ProblemError
   * @example
   * import { createClient } from '@clientele/client'
   *
   * const client = createClient({ baseUrl: 'https://api.example.com/api/v1', apiKey: 'cu_live_…' })
   * for await (const user of client.iterateUsers({ role: 'admin' })) console.log(user.email)
   */
  iterateUsers(options?: ListUsersOptions): AsyncGenerator<ClientUser, void, undefined>
  /**
   * Reads the feed of events from `after` on and waits for more, until `signal` or `break` ends it. It yields the
   * events in batches. Store the `next_cursor` of a batch after you have processed it, and pass it as `after` the next
   * time.
   *
   * @throws ProblemError, with `cursor_expired` when the feed no longer goes back to `after`
   * @example
   * import { createClient } from '@clientele/client'
   *
   * const client = createClient({ baseUrl: 'https://api.example.com/api/v1', apiKey: 'cu_live_…' })
   * for await (const { data, next_cursor } of client.followEvents({ type: 'user.*' })) {
   *   console.log(data.map((event) => event.type), next_cursor)
   * }
   */
  followEvents(options?: ReadEventsOptions): AsyncGenerator<EventFeed, void, undefined>
}

/**
 * Makes a client of an account.
 *
 * @throws TypeError when an option is wrong
 * @example
 * import { createClient } from '@clientele/client'
 *
 * const client = createClient({ baseUrl: 'https://api.example.com/api/v1', apiKey: 'cu_live_…' })
 * const { data, problem } = await client.createUser({ name: 'Ada', email: 'ada@example.com', password: 'correct horse' })
 * if (problem?.code === 'email_taken') console.log('There is such a user already')
 * else console.log(data?.id)
 */
export function createClient(options: ClientOptions): Client {
  const settings = readSettings(options)
  const entries = Object.entries(operations).map(([id, operation]) => [
    id,
    (...given: unknown[]) => callOperation(operation, given, settings),
  ])
  const methods = Object.fromEntries(entries) as ClientMethods // both are generated from one document
  return {
    ...methods,
    iterateUsers: (given) => iterateUsers(methods, given),
    followEvents: (given) => followEvents(methods, given),
  }
}
