import type { ClientMethods, ListUsersOptions } from './generated/methods.ts'
import type { ClientUser } from './generated/schemas.ts'
import { dataOf } from './result.ts'

/** Reads every user that a list has, page after page. */
export async function* iterateUsers(
  client: Pick<ClientMethods, 'listUsers'>,
  options: ListUsersOptions = {},
): AsyncGenerator<ClientUser, void, undefined> {
  let next: ListUsersOptions | undefined = { limit: 100, ...options }
  while (next !== undefined) {
    const result = await client.listUsers(next)
    yield* dataOf(result).data
    const cursor = readNextCursor(result.response)
    next = cursor === undefined ? undefined : { limit: 100, ...options, page: undefined, cursor }
  }
}

/** Takes only the cursor from the `Link` header (RFC 8288), so that the API key is never sent to another host. */
function readNextCursor(response: Response | undefined): string | undefined {
  const link = response?.headers.get('link') ?? ''
  const [, target = ''] = /<([^<>]*)>; rel="next"/.exec(link) ?? []
  return new URLSearchParams(target.slice(target.indexOf('?') + 1)).get('cursor') ?? undefined
}
