import { z } from 'zod'
import type { Call } from '../base/call/call.ts'
import { pathIdSchema } from '../base/input/id.ts'
import type { ScimUser } from '../capabilities/scim/scim-user.ts'
import {
  findScimUsers,
  type ListedUsers,
  listScimUsers,
  type ScimUserPage,
  walkScimUsers,
} from '../capabilities/scim/search-scim-users.ts'
import {
  changeScimUser,
  createScimUser,
  findScimUser,
} from '../capabilities/scim/write-scim-user.ts'
import { deleteUser } from '../capabilities/users/delete-user.ts'
import { findUser } from '../capabilities/users/find-user.ts'
import { includesVersion, readExpectedVersion, readListedVersions } from '../http/entity-tag.ts'
import type { HttpRequest, HttpResponse } from '../http/message.ts'
import { respondWithoutBody } from '../http/render.ts'
import type { Route, RouteContext } from '../http/route.ts'
import { defineScimRoute, resourceBodySchema } from './define-scim-route.ts'
import { type ListedFilter, readListedFilter } from './filter/listed-filter.ts'
import { createMatch } from './filter/match-filter.ts'
import { parseFilter } from './filter/parse-filter.ts'
import { planFilter } from './filter/plan-filter.ts'
import { findGroupsOfUsers, readGroupIds } from './groups-of-users.ts'
import {
  type ListQuery,
  listQuerySchema,
  type Order,
  readOrder,
  readPart,
  resourceQuerySchema,
  sortBy,
} from './list-query.ts'
import { patchDraft } from './patch/patch-user.ts'
import { readOperations } from './patch/read-operations.ts'
import { createProject, isWanted } from './project.ts'
import { readUser } from './read-user.ts'
import { findScimRoot, renderList, respondWithScim, toWeakTag } from './resource.ts'
import type { ScimRoutesServices } from './services.ts'
import { finishDraft, toDraft } from './user-draft.ts'
import { createReadUser, renderUser, userAttributes } from './user-resource.ts'

type Wanted = z.output<typeof resourceQuerySchema>

const pathSchema = z.object({ id: pathIdSchema('user_not_found') })

/** Orders that the list of users has an index for */
const listedOrders: Record<string, 'createdAt' | 'email' | 'name'> = {
  id: 'createdAt',
  'meta.created': 'createdAt',
  emails: 'email',
  'emails.value': 'email',
  displayname: 'name',
  'name.formatted': 'name',
}

export function createScimUserRoutes(services: ScimRoutesServices): Route[] {
  async function respond(
    context: RouteContext,
    status: number,
    user: ScimUser,
    wanted: Wanted,
  ): Promise<HttpResponse> {
    const root = findScimRoot(services, context)
    const groupsOf = isWanted(wanted, 'groups')
      ? await findGroupsOfUsers(services, context.call, [user])
      : () => []
    const resource = createProject(wanted)(renderUser(root, user, groupsOf(user)))
    const created = status === 201 && { location: `${root}/Users/${user.user.id}` }
    return respondWithScim(status, resource, { etag: toWeakTag(user.version), ...created })
  }

  const readExpected = (call: Call, id: string, request: HttpRequest): Promise<number | null> =>
    readExpectedVersion(request, async () => (await findUser(services, call, id)).version)

  const path = '/Users/{id}'
  return [
    defineScimRoute({
      id: 'createScimUser',
      method: 'POST',
      path: '/Users',
      querySchema: resourceQuerySchema,
      bodySchema: resourceBodySchema,
      handle: async (context, { query, body }) => {
        const input = finishDraft(readUser(body))
        return respond(context, 201, await createScimUser(services, context.call, input), query)
      },
    }),
    defineScimRoute({
      id: 'listScimUsers',
      method: 'GET',
      path: '/Users',
      querySchema: listQuerySchema,
      handle: async (context, { query }) => {
        const { call } = context
        const part = readPart(query)
        const { users, total } = await findUsers(services, call, query)
        const root = findScimRoot(services, context)
        const groupsOf = isWanted(query, 'groups')
          ? await findGroupsOfUsers(services, call, users)
          : () => []
        const project = createProject(query)
        const resources = users.map((user) => project(renderUser(root, user, groupsOf(user))))
        return respondWithScim(200, renderList(resources, part.startIndex, total))
      },
    }),
    defineScimRoute({
      id: 'findScimUser',
      method: 'GET',
      path,
      pathSchema,
      querySchema: resourceQuerySchema,
      handle: async (context, { path, query }) => {
        const known = readListedVersions(context.request, 'if-none-match')
        const found = await findScimUser(services, context.call, path.id)
        if (known !== undefined && includesVersion(known, found.version))
          return respondWithoutBody(304, { etag: toWeakTag(found.version) })
        return respond(context, 200, found, query)
      },
    }),
    defineScimRoute({
      id: 'replaceScimUser',
      method: 'PUT',
      path,
      pathSchema,
      querySchema: resourceQuerySchema,
      bodySchema: resourceBodySchema,
      handle: async (context, { path, query, body }) => {
        const { call, request } = context
        const expected = await readExpected(call, path.id, request)
        const changed = await changeScimUser(services, call, path.id, expected, (before) =>
          finishDraft(readUser(body, before), before),
        )
        return respond(context, 200, changed, query)
      },
    }),
    defineScimRoute({
      id: 'patchScimUser',
      method: 'PATCH',
      path,
      pathSchema,
      querySchema: resourceQuerySchema,
      bodySchema: resourceBodySchema,
      handle: async (context, { path, query, body }) => {
        const { call, request } = context
        const operations = readOperations(body)
        const expected = await readExpected(call, path.id, request)
        const changed = await changeScimUser(services, call, path.id, expected, (before) => {
          const draft = toDraft(before)
          for (const operation of operations) patchDraft(draft, operation)
          return finishDraft(draft, before)
        })
        return respond(context, 200, changed, query)
      },
    }),
    defineScimRoute({
      id: 'deleteScimUser',
      method: 'DELETE',
      path,
      pathSchema,
      handle: async ({ call, request }, { path }) => {
        const expected = await readExpected(call, path.id, request)
        await deleteUser(services, call, path.id, expected)
        return respondWithoutBody(204)
      },
    }),
  ]
}

/** Finds a page of users: by the list where it has the filter and the order, else by indexes, else among all. */
async function findUsers(
  services: ScimRoutesServices,
  call: Call,
  query: ListQuery,
): Promise<ScimUserPage> {
  const part = readPart(query)
  const order = readOrder(query, userAttributes)
  const filter = query.filter === undefined ? undefined : parseFilter(query.filter, userAttributes)
  const listed = await toListed(services, call, readListedFilter(filter), order)
  if (listed === 'none') return { users: [], total: 0 }
  if (listed !== undefined) return listScimUsers(services, call, listed, part)
  const read = createReadUser(await readGroupIds(services, call, filter))
  const matches = filter === undefined ? () => true : createMatch(filter, read)
  const ranges = filter && planFilter(filter)
  const found = await (ranges === undefined
    ? walkScimUsers(services, call, matches)
    : findScimUsers(services, call, ranges, matches))
  const sorted = order === undefined ? found : sortBy(found, order, read)
  return { users: sorted.slice(part.skip, part.skip + part.count), total: found.length }
}

/** The parameters of the list of users; undefined: it has not this filter or order; none: it has no such users. */
async function toListed(
  { repository }: ScimRoutesServices,
  { accountId }: Call,
  filter: ListedFilter | undefined,
  order: Order | undefined,
): Promise<ListedUsers | 'none' | undefined> {
  const column = order && listedOrders[order.attribute]
  if (filter === undefined || (order !== undefined && column === undefined)) return undefined
  const sort = column && (order.isDescending ? (`-${column}` as const) : column)
  const { isActive, groupId } = filter
  if (groupId === undefined) return { isActive, sort }
  const group = await repository.scim.findGroup(accountId, groupId)
  return group === undefined ? 'none' : { isActive, role: group.role, sort }
}
