import type { Clientele, ConsoleOptions, Mountable } from '@clientele/core'
import { readPageFile } from './page-files.ts'

export type ConsoleRoutesOptions = Pick<ConsoleOptions, 'authorize'>

/**
 * Answers the requests at and below `/client/console`: pass it to an adapter like a Clientele. Accounts
 * sign in to its page with an API key; operators with a one-time link (`clientele.console.createLink`), or if `authorize`
 * accepts them.
 *
 * @throws ClienteleError `configuration_invalid` when it is called wrongly
 * @example
 * app.use('/api/v1', clienteleRoutes(clientele))
 * app.use('/api/v1', clienteleRoutes(consoleRoutes(clientele, {
 *   authorize: async ({ headers }) => {
 *     const person = await findPerson(headers.cookie)
 *     return person?.isStaff ? { name: person.name } : undefined
 *   },
 * })))
 */
export function consoleRoutes(clientele: Clientele, options: ConsoleRoutesOptions = {}): Mountable {
  return clientele.console.routes({ ...options, readFile: readPageFile })
}
