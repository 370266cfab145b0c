import { z } from 'zod'
import type { Call } from '../base/call/call.ts'
import { isId, pathIdSchema } from '../base/input/id.ts'
import { mapInSlices } from '../base/runtime/time-slice.ts'
import type { ScimGroup } from '../capabilities/scim/scim-group.ts'
import { toNameKey } from '../capabilities/scim/scim-user.ts'
import {
  changeScimGroup,
  createScimGroup,
  deleteScimGroup,
  findScimGroup,
} from '../capabilities/scim/write-scim-group.ts'
import { readExpectedVersion } from '../http/entity-tag.ts'
import type { HttpRequest, HttpResponse } from '../http/message.ts'
import { respondWithoutBody } from '../http/render.ts'
import type { Route, RouteContext } from '../http/route.ts'
import { defineScimRoute, resourceBodySchema } from './define-scim-route.ts'
import type { Filter } from './filter/filter.ts'
import { createMatch } from './filter/match-filter.ts'
import { parseFilter } from './filter/parse-filter.ts'
import { finishGroupDraft, patchGroupDraft, readGroup, toGroupDraft } from './group-draft.ts'
import { createReadGroup, groupAttributes, renderGroup } from './group-resource.ts'
import {
  type ListQuery,
  listQuerySchema,
  readOrder,
  readPart,
  resourceQuerySchema,
  sortBy,
} from './list-query.ts'
import { readOperations } from './patch/read-operations.ts'
import { createProject, isWanted } from './project.ts'
import { findScimRoot, renderList, respondWithScim, toWeakTag } from './resource.ts'
import type { ScimRoutesServices } from './services.ts'

/** How many members a response lists. The members of larger groups are left out, and listed by a filter of users. */
const maxListedMembers = 1_000
/** A list of 4,000 members */
const maxBodyBytes = 512 * 1024
/** Of 4,000 members with four attributes each; more would hold up others while they are parsed */
const maxValues = 20_000

const pathSchema = z.object({ id: pathIdSchema('scim_group_not_found') })

export function createScimGroupRoutes(services: ScimRoutesServices): Route[] {
  async function respond(
    context: RouteContext,
    status: number,
    group: ScimGroup,
    wanted: z.output<typeof resourceQuerySchema>,
  ): Promise<HttpResponse> {
    const root = findScimRoot(services, context)
    const [resource = {}] = await renderGroups(services, context, [group], wanted)
    const created = status === 201 && { location: `${root}/Groups/${group.id}` }
    return respondWithScim(status, resource, { etag: toWeakTag(group.version), ...created })
  }

  const readExpected = (call: Call, id: string, request: HttpRequest): Promise<number | null> =>
    readExpectedVersion(request, async () => (await findScimGroup(services, call, id)).version)

  const path = '/Groups/{id}'
  return [
    defineScimRoute({
      id: 'createScimGroup',
      method: 'POST',
      path: '/Groups',
      querySchema: resourceQuerySchema,
      bodySchema: resourceBodySchema,
      maxBodyBytes,
      hasItems: true,
      maxValues,
      handle: async (context, { query, body }) => {
        const input = finishGroupDraft(readGroup(body))
        return respond(context, 201, await createScimGroup(services, context.call, input), query)
      },
    }),
    defineScimRoute({
      id: 'listScimGroups',
      method: 'GET',
      path: '/Groups',
      querySchema: listQuerySchema,
      handle: async (context, { query }) => {
        const { startIndex, skip, count } = readPart(query)
        const found = await findGroups(services, context.call, query)
        const part = found.slice(skip, skip + count)
        const resources = await renderGroups(services, context, part, query)
        return respondWithScim(200, renderList(resources, startIndex, found.length))
      },
    }),
    defineScimRoute({
      id: 'findScimGroup',
      method: 'GET',
      path,
      pathSchema,
      querySchema: resourceQuerySchema,
      handle: async (context, { path, query }) =>
        respond(context, 200, await findScimGroup(services, context.call, path.id), query),
    }),
    defineScimRoute({
      id: 'replaceScimGroup',
      method: 'PUT',
      path,
      pathSchema,
      querySchema: resourceQuerySchema,
      bodySchema: resourceBodySchema,
      maxBodyBytes,
      hasItems: true,
      maxValues,
      handle: async (context, { path, query, body }) => {
        const { call, request } = context
        const expected = await readExpected(call, path.id, request)
        const changed = await changeScimGroup(services, call, path.id, expected, (before) =>
          finishGroupDraft(readGroup(body, before)),
        )
        return respond(context, 200, changed, query)
      },
    }),
    defineScimRoute({
      id: 'patchScimGroup',
      method: 'PATCH',
      path,
      pathSchema,
      querySchema: resourceQuerySchema,
      bodySchema: resourceBodySchema,
      maxBodyBytes,
      hasItems: true,
      maxValues,
      handle: async (context, { path, query, body }) => {
        const { call, request } = context
        const operations = readOperations(body)
        const expected = await readExpected(call, path.id, request)
        const changed = await changeScimGroup(services, call, path.id, expected, (before) => {
          const draft = toGroupDraft(before)
          for (const operation of operations) patchGroupDraft(draft, operation)
          return finishGroupDraft(draft)
        })
        if (query.attributes !== undefined) return respond(context, 200, changed, query)
        // RFC 7644, section 3.5.2: a group may be large, and the caller knows what has changed.
        return respondWithoutBody(204, { etag: toWeakTag(changed.version) })
      },
    }),
    defineScimRoute({
      id: 'deleteScimGroup',
      method: 'DELETE',
      path,
      pathSchema,
      handle: async ({ call, request }, { path }) => {
        const expected = await readExpected(call, path.id, request)
        await deleteScimGroup(services, call, path.id, expected)
        return respondWithoutBody(204)
      },
    }),
  ]
}

/** The groups as resources. Together they list a bounded number of members: those of further groups are left out. */
async function renderGroups(
  services: ScimRoutesServices,
  context: RouteContext,
  groups: readonly ScimGroup[],
  wanted: z.output<typeof resourceQuerySchema>,
) {
  const root = findScimRoot(services, context)
  const project = createProject(wanted)
  const hasMembers = isWanted(wanted, 'members')
  const resources = []
  let left = maxListedMembers
  for (const group of groups) {
    const members = hasMembers ? await listMembers(services, context.call, group, left) : undefined
    left -= members?.length ?? 0
    resources.push(project(renderGroup(root, group, members)))
  }
  return resources
}

/** Undefined when the group has more members: a part of them would look like all. */
async function listMembers(
  { repository }: ScimRoutesServices,
  { accountId }: Call,
  { role }: ScimGroup,
  most: number,
) {
  const members = await repository.scim.listMembers(accountId, role, most + 1)
  return members.length > most ? undefined : members
}

/** An account has a bounded number of groups: all are read, unless the filter is for one by its name. */
async function findGroups(
  services: ScimRoutesServices,
  call: Call,
  query: ListQuery,
): Promise<ScimGroup[]> {
  const { repository, scimSearches } = services
  const order = readOrder(query, groupAttributes)
  const filter = query.filter === undefined ? undefined : parseFilter(query.filter, groupAttributes)
  const named = filter && nameIn(filter)
  const search = async (): Promise<ScimGroup[]> => {
    const groups = await (named === undefined
      ? repository.scim.listGroups(call.accountId)
      : repository.scim.findGroupsOf(call.accountId, [toNameKey(named)]))
    const read = createReadGroup(await readRoles(services, call, filter))
    const found = filter === undefined ? groups : await filterGroups(groups, filter, read)
    return order === undefined ? found : sortBy(found, order, read)
  }
  return named === undefined ? scimSearches.run(call.accountId, search) : search()
}

async function filterGroups(
  groups: readonly ScimGroup[],
  filter: Filter,
  read: ReturnType<typeof createReadGroup>,
): Promise<ScimGroup[]> {
  const passed = await mapInSlices(groups, createMatch(filter, read))
  return groups.filter((_, index) => passed[index])
}

/** The name that every group must have to pass the filter; undefined: it asks for none. */
function nameIn(filter: Filter): string | undefined {
  if (filter.kind === 'and') return filter.parts.map(nameIn).find((name) => name !== undefined)
  if (filter.kind !== 'compare' || filter.attribute !== 'displayname') return undefined
  return filter.operator === 'eq' && typeof filter.value === 'string' ? filter.value : undefined
}

/** The roles of the users that a filter names as members, by user. */
async function readRoles(
  { repository }: ScimRoutesServices,
  { accountId }: Call,
  filter: Filter | undefined,
): Promise<Map<string, string[]>> {
  const ids = new Set(filter === undefined ? [] : listMemberIds(filter))
  const found = await Promise.all([...ids].map((id) => repository.users.find(accountId, id)))
  return new Map(
    found.flatMap((each) =>
      each === undefined ? [] : [[each.user.id, JSON.parse(each.user.roles)]],
    ),
  )
}

function listMemberIds(filter: Filter): string[] {
  if (filter.kind === 'not') return listMemberIds(filter.part)
  if (filter.kind !== 'compare') return filter.parts.flatMap(listMemberIds)
  const { attribute, value } = filter
  return attribute.startsWith('members') && isId(value) ? [value] : []
}
