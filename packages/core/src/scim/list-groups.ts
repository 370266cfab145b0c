import type { Call } from '../base/call/call.ts'
import { isId } from '../base/input/id.ts'
import { mapInSlices } from '../base/runtime/time-slice.ts'
import type { ScimGroup } from '../capabilities/scim/scim-group.ts'
import { toNameKey } from '../capabilities/scim/scim-user.ts'
import type { HttpResponse } from '../http/message.ts'
import type { RouteContext } from '../http/route.ts'
import type { Filter } from './filter/filter.ts'
import { createMatch } from './filter/match-filter.ts'
import { parseFilter } from './filter/parse-filter.ts'
import { createReadGroup, groupAttributes, groupReferences } from './group-resource.ts'
import { type ListQuery, readOrder, readPart, sortBy } from './list-query.ts'
import { readInTurn } from './read-in-turn.ts'
import { renderGroups } from './render-groups.ts'
import { renderWithinBytes } from './render-within-bytes.ts'
import { respondWithList } from './resource.ts'
import type { ScimRoutesServices } from './services.ts'

/** A page of groups with their members. Pages of an account are read one after the other, unless it is for one name. */
export async function listGroups(
  services: ScimRoutesServices,
  context: RouteContext,
  query: ListQuery,
): Promise<HttpResponse> {
  const { call } = context
  const { startIndex, skip, count } = readPart(query)
  const filter =
    query.filter === undefined
      ? undefined
      : parseFilter(query.filter, groupAttributes, groupReferences)
  const named = filter && nameIn(filter)
  const read = async (): Promise<HttpResponse> => {
    const found = await findGroups(services, call, query, filter, named)
    const part = found.slice(skip, skip + count)
    const resources = await renderWithinBytes(renderGroups(services, context, part, query))
    return respondWithList(resources, startIndex, found.length)
  }
  if (named !== undefined) return read()
  const { scimPages, scimWalks } = services
  const isSearch = filter !== undefined || query.sortBy !== undefined
  return readInTurn(services, call, isSearch ? scimWalks : scimPages, read)
}

/** An account has a bounded number of groups: all are read, unless the filter is for one by its name. */
async function findGroups(
  services: ScimRoutesServices,
  call: Call,
  query: ListQuery,
  filter: Filter | undefined,
  named: string | undefined,
): Promise<ScimGroup[]> {
  const { repository } = services
  const order = readOrder(query, groupAttributes)
  const groups = await (named === undefined
    ? repository.scim.listGroups(call.accountId)
    : repository.scim.findGroupsOf(call.accountId, [toNameKey(named)]))
  const read = createReadGroup(await readRoles(services, call, filter))
  const found = filter === undefined ? groups : await filterGroups(groups, filter, read)
  return order === undefined ? found : sortBy(found, order, read)
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
  return filter.operator === 'eq' && typeof filter.value === 'string'
    ? filter.value.trim()
    : undefined
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
