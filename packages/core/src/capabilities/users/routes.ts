import { z } from 'zod'
import type { Call } from '../../base/call/call.ts'
import { idSchema, pathIdSchema } from '../../base/input/id.ts'
import {
  includesVersion,
  readExpectedVersion,
  readListedVersions,
  toEntityTag,
} from '../../http/entity-tag.ts'
import { rootPath } from '../../http/match-route.ts'
import type { HttpRequest } from '../../http/message.ts'
import {
  respondWithJson,
  respondWithJsonParts,
  respondWithoutBody,
  respondWithUser,
} from '../../http/render.ts'
import { defineRoute, type Route, type Tag } from '../../http/route.ts'
import { countSchema, largeCountSchema } from '../../http/wire-schemas.ts'
import { clientUserSchema } from '../../user-model/client-user.ts'
import { type EncodedUser, memoryOfUsers } from '../../user-model/render-user.ts'
import type { StoredUser } from '../../user-model/stored-user.ts'
import type { PasswordOptions } from './change-user.ts'
import { createUser } from './create-user.ts'
import { deleteUser } from './delete-user.ts'
import { findUser } from './find-user.ts'
import {
  encodeUsers,
  listLargeUsers,
  listUsers,
  renderUsers,
  type StoredUserList,
} from './list-users.ts'
import { listParameters, pageQuerySchema } from './page.ts'
import { patchUser } from './patch-user.ts'
import { replaceUser } from './replace-user.ts'
import type { UsersServices } from './services.ts'
import { setUserActive } from './set-user-active.ts'

const passwordQuerySchema = z.object({
  keep_session: idSchema
    .optional()
    .describe('The session (`sid`) that survives a new password, which ends all others.'),
  revoke_tokens: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional()
    .meta({ type: 'boolean', enum: [true, false] })
    .describe("Whether the new password ends the user's own tokens, too. Needs a password."),
})

export const userPathSchema = z.object({ id: pathIdSchema('user_not_found') })

const userListSchema = z
  .object({
    data: z.array(clientUserSchema),
    page: largeCountSchema(1, 1),
    limit: countSchema(100, 10),
    total: largeCountSchema(0, 1),
  })
  .meta({ id: 'UserList' })
const tag: Tag = {
  name: 'Client users',
  description:
    "The account's end users: create, list, read, change, deactivate and delete them. Each version of a user has an ETag.",
}

export function createUserRoutes(services: UsersServices): Route[] {
  const { userSchemas } = services
  return [
    defineRoute({
      id: 'createUser',
      method: 'POST',
      path: rootPath,
      summary: 'Create a user',
      tag,
      scope: 'users:write',
      bodySchema: userSchemas.wire.createAnyhow,
      bodySchemaFor: ({ rules }) =>
        rules?.passwordRequired === false ? userSchemas.wire.createAnyhow : userSchemas.wire.create,
      requestHeaders: ['Idempotency-Key'],
      asksHooks: true,
      responses: {
        201: {
          description: 'The user',
          schema: clientUserSchema,
          headers: ['ETag', 'Location'],
        },
      },
      errors: ['email_taken'],
      handle: async ({ call, request }, { body }) => {
        const created = await createUser(services, call, body)
        return respondWithUser(201, created, {
          location: `${findRoot(services, request)}/${created.user.id}`,
        })
      },
    }),
    defineRoute({
      id: 'listUsers',
      method: 'GET',
      path: rootPath,
      summary: 'List users, in the order of their creation by default',
      tag,
      scope: 'users:read',
      querySchema: pageQuerySchema,
      responses: {
        200: {
          description: 'A page of users; total is exact',
          schema: userListSchema,
          headers: ['Link'],
        },
      },
      errors: [],
      handle: async ({ call, request }, { query }) => {
        const { largeResponses } = services
        const { accountId } = call
        const linksOf = (list: Omit<StoredUserList, 'data'>) => ({
          link: renderLinks(findRoot(services, request), request.url, list),
        })
        if (largeResponses.has('list', accountId)) {
          const read = () => listLargeUsers(services, call, query)
          const list = await largeResponses.read(call, read)
          const { data } = list
          const parts = largeResponses.render(accountId, encodeList(list), memoryOfUsers(data))
          return respondWithJsonParts(200, parts, linksOf(list))
        }
        const list = await listUsers(services, call, query)
        return respondWithJson(200, headOfList + renderUsers(list) + tailOf(list), linksOf(list))
      },
    }),
    defineRoute({
      id: 'findUser',
      method: 'GET',
      path: `${rootPath}/{id}`,
      summary: 'Read a user',
      tag,
      scope: 'users:read',
      pathSchema: userPathSchema,
      requestHeaders: ['If-None-Match'],
      responses: {
        200: { description: 'The user', schema: clientUserSchema, headers: ['ETag'] },
        304: { description: 'The user has not changed', headers: ['ETag'] },
      },
      errors: ['user_not_found'],
      handle: async ({ call, request }, { path }) => {
        const known = readListedVersions(request, 'if-none-match')
        const found = await findUser(services, call, path.id)
        if (known !== undefined && includesVersion(known, found.version)) {
          return respondWithoutBody(304, { etag: toEntityTag(found.version) })
        }
        return respondWithUser(200, found)
      },
    }),
    defineRoute({
      id: 'replaceUser',
      method: 'PUT',
      path: `${rootPath}/{id}`,
      summary: 'Replace a user: missing roles and metadata become empty, a missing password stays',
      tag,
      scope: 'users:write',
      pathSchema: userPathSchema,
      querySchema: passwordQuerySchema,
      bodySchema: userSchemas.wire.replace,
      requestHeaders: ['If-Match'],
      asksHooks: true,
      responses: { 200: { description: 'The user', schema: clientUserSchema, headers: ['ETag'] } },
      errors: ['user_not_found', 'email_taken', 'precondition_failed'],
      handle: async ({ call, request }, { path, query, body }) => {
        const expected = await readExpected(services, call, path.id, request)
        const options = toPasswordOptions(query)
        return respondWithUser(
          200,
          await replaceUser(services, call, path.id, body, expected, options),
        )
      },
    }),
    defineRoute({
      id: 'patchUser',
      method: 'PATCH',
      path: `${rootPath}/{id}`,
      summary: 'Change some fields of a user: JSON Merge Patch (RFC 7396)',
      tag,
      scope: 'users:write',
      pathSchema: userPathSchema,
      querySchema: passwordQuerySchema,
      bodySchema: userSchemas.wire.patch,
      acceptsMergePatch: true,
      requestHeaders: ['If-Match'],
      asksHooks: true,
      responses: { 200: { description: 'The user', schema: clientUserSchema, headers: ['ETag'] } },
      errors: ['user_not_found', 'email_taken', 'precondition_failed'],
      handle: async ({ call, request }, { path, query, body }) => {
        const expected = await readExpected(services, call, path.id, request)
        const options = toPasswordOptions(query)
        return respondWithUser(
          200,
          await patchUser(services, call, path.id, body, expected, options),
        )
      },
    }),
    defineRoute({
      id: 'deleteUser',
      method: 'DELETE',
      path: `${rootPath}/{id}`,
      summary: 'Delete a user permanently, with their sessions and secrets',
      tag,
      scope: 'users:write',
      pathSchema: userPathSchema,
      requestHeaders: ['If-Match'],
      responses: { 204: { description: 'The user is gone' } },
      errors: ['user_not_found', 'precondition_failed'],
      handle: async ({ call, request }, { path }) => {
        const expected = await readExpected(services, call, path.id, request)
        await deleteUser(services, call, path.id, expected)
        return respondWithoutBody(204)
      },
    }),
    ...(['activate', 'deactivate'] as const).map((verb) =>
      defineRoute({
        id: `${verb}User`,
        method: 'POST',
        path: `${rootPath}/{id}/${verb}`,
        summary:
          verb === 'activate'
            ? 'Activate a user, who can then sign in again'
            : 'Deactivate a user: they cannot sign in, and their tokens are no longer valid',
        tag,
        scope: 'users:write',
        pathSchema: userPathSchema,
        requestHeaders: ['Idempotency-Key'],
        asksHooks: verb === 'activate',
        responses: {
          200: { description: 'The user', schema: clientUserSchema, headers: ['ETag'] },
        },
        errors: ['user_not_found'],
        handle: async ({ call }, { path }) =>
          respondWithUser(200, await setUserActive(services, call, path.id, verb === 'activate')),
      }),
    ),
  ]
}

function toPasswordOptions(query: z.output<typeof passwordQuerySchema>): PasswordOptions {
  return { keepSessionId: query.keep_session, revokeTokens: query.revoke_tokens }
}

/** The version that `If-Match` requires of a user; null: any. */
function readExpected(
  services: UsersServices,
  call: Call,
  userId: string,
  request: HttpRequest,
): Promise<number | null> {
  return readExpectedVersion(request, async () => (await findUser(services, call, userId)).version)
}

/** The URL of the mount point as the caller sees it. */
export function findRoot({ publicPath }: UsersServices, { mountPath }: HttpRequest): string {
  return `${publicPath ?? mountPath}${rootPath}`
}

const headOfList = '{"data":['

function tailOf({ page, limit, total }: Omit<StoredUserList, 'data'>): string {
  return `],"page":${page},"limit":${limit},"total":${total}}`
}

function* encodeList(list: StoredUserList<StoredUser | EncodedUser>): Iterable<Uint8Array> {
  yield Buffer.from(headOfList)
  yield* encodeUsers(list.data)
  yield Buffer.from(tailOf(list))
}

function renderLinks(
  root: string,
  url: string,
  { page, limit, total, cursors }: Omit<StoredUserList, 'data'>,
): string {
  const mark = url.indexOf('?')
  const kept = new URLSearchParams()
  for (const [name, value] of new URLSearchParams(mark === -1 ? '' : url.slice(mark))) {
    if (listParameters.has(name) && name !== 'page' && name !== 'cursor') kept.append(name, value)
  }
  kept.set('limit', String(limit))
  const start = `<${root}?${kept}&`
  // Numbers and base64url cursors need no escapes.
  const link = (rel: string, name: 'page' | 'cursor', value: string | number): string =>
    `${start}${name}=${value}>; rel="${rel}"`
  const lastPage = Math.max(1, Math.ceil(total / limit))
  let links = link('first', 'page', 1)
  if (cursors.prev !== undefined) links += `, ${link('prev', 'cursor', cursors.prev)}`
  else if (page > 1) links += `, ${link('prev', 'page', Math.min(page - 1, lastPage))}`
  if (cursors.next !== undefined) links += `, ${link('next', 'cursor', cursors.next)}`
  return `${links}, ${link('last', 'page', lastPage)}`
}
