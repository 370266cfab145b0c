import type { Call } from '../base/call/call.ts'
import type { TimeShare } from '../base/runtime/time-share.ts'
import {
  findScimUsers,
  findsFew,
  type ListedUsers,
  type ListPart,
  listScimUsers,
  type ScimUserPage,
  walkScimUsers,
} from '../capabilities/scim/search-scim-users.ts'
import type { ScimRange } from '../capabilities/scim/store.ts'
import type { HttpResponse } from '../http/message.ts'
import type { RouteContext } from '../http/route.ts'
import type { Filter } from './filter/filter.ts'
import { type ListedFilter, readListedFilter } from './filter/listed-filter.ts'
import { createMatch } from './filter/match-filter.ts'
import { parseFilter } from './filter/parse-filter.ts'
import { planFilter } from './filter/plan-filter.ts'
import { readGroupIds, withGroups } from './groups-of-users.ts'
import { type ListQuery, type Order, readOrder, readPart, sortBy } from './list-query.ts'
import { createProject, isWanted } from './project.ts'
import { readInTurn } from './read-in-turn.ts'
import { renderWithinBytes } from './render-within-bytes.ts'
import { findScimRoot, type Resource, respondWithList } from './resource.ts'
import type { ScimRoutesServices } from './services.ts'
import { createReadUser, renderUser, userAttributes, userReferences } from './user-resource.ts'

/** Orders that the list of users has an index for */
const listedOrders: Record<string, 'createdAt' | 'email' | 'name'> = {
  'meta.created': 'createdAt',
  emails: 'email',
  'emails.value': 'email',
  displayname: 'name',
  'name.formatted': 'name',
}

/** A page of users with their groups. Pages of an account are read one after the other, unless it is for one user. */
export async function listUsers(
  services: ScimRoutesServices,
  context: RouteContext,
  query: ListQuery,
): Promise<HttpResponse> {
  const { call } = context
  const search = planSearch(query)
  const read = async (): Promise<HttpResponse> => {
    const page = await findUsers(services, call, readPart(query), search)
    const resources = await renderWithinBytes(renderUsers(services, context, query, page))
    return respondWithList(resources, readPart(query).startIndex, page.total)
  }
  if (findsOne(search)) return read()
  return readInTurn(services, call, placesOf(services, search), read)
}

/** How the users of a list are found */
interface Search {
  filter: Filter | undefined
  order: Order | undefined
  /** What the list of users can filter by itself */
  listed: ListedFilter | undefined
  /** The ranges of indexes that have all users of the filter; undefined: only all of the account are known to be enough */
  ranges: readonly ScimRange[] | undefined
}

function planSearch(query: ListQuery): Search {
  const filter =
    query.filter === undefined
      ? undefined
      : parseFilter(query.filter, userAttributes, userReferences)
  return {
    filter,
    order: readOrder(query, userAttributes),
    listed: readListedFilter(filter),
    ranges: filter && planFilter(filter),
  }
}

function placesOf(
  { scimPages, scimSearches, scimWalks }: ScimRoutesServices,
  { listed, order, ranges }: Search,
): TimeShare {
  if (isListed(listed, order)) return scimPages
  if (ranges === undefined) return scimWalks
  return findsFew(ranges) ? scimPages : scimSearches
}

/** Whether it asks for an id, a user name or an address; a user name is looked for in two indexes. */
function findsOne({ ranges = [] }: Search): boolean {
  return (
    (ranges.length === 1 || ranges.length === 2) &&
    ranges.every(({ by, from, to }) => from === to && by !== 'name' && by !== 'externalId')
  )
}

async function* renderUsers(
  services: ScimRoutesServices,
  context: RouteContext,
  query: ListQuery,
  { users }: ScimUserPage,
): AsyncGenerator<Resource> {
  const root = findScimRoot(services, context)
  const project = createProject(query)
  if (!isWanted(query, 'groups')) {
    for (const user of users) yield project(renderUser(root, user, []))
    return
  }
  for await (const { user, groups } of withGroups(services, context.call, users))
    yield project(renderUser(root, user, groups))
}

/** Finds a page of users: by the list where it has the filter and the order, else by indexes, else among all. */
async function findUsers(
  services: ScimRoutesServices,
  call: Call,
  part: ListPart,
  { filter, order, listed: listedFilter, ranges }: Search,
): Promise<ScimUserPage> {
  const listed = await toListed(services, call, listedFilter, order)
  if (listed === 'none') return { users: [], total: 0 }
  if (listed !== undefined) return listScimUsers(services, call, listed, part)
  const read = createReadUser(await readGroupIds(services, call, filter))
  const matches = filter === undefined ? () => true : createMatch(filter, read)
  const found = await (ranges === undefined
    ? walkScimUsers(services, call, matches)
    : findScimUsers(services, call, ranges, matches))
  const sorted = order === undefined ? found : sortBy(found, order, read)
  return { users: sorted.slice(part.skip, part.skip + part.count), total: found.length }
}

/** Whether the list of users has the filter and the order. */
function isListed(
  filter: ListedFilter | undefined,
  order: Order | undefined,
): filter is ListedFilter {
  return filter !== undefined && (order === undefined || order.attribute in listedOrders)
}

/** The parameters of the list of users; undefined: it has not this filter or order; none: it has no such users. */
async function toListed(
  { repository }: ScimRoutesServices,
  { accountId }: Call,
  filter: ListedFilter | undefined,
  order: Order | undefined,
): Promise<ListedUsers | 'none' | undefined> {
  if (!isListed(filter, order)) return undefined
  const column = order && listedOrders[order.attribute]
  const sort = column && (order.isDescending ? (`-${column}` as const) : column)
  const { isActive, groupId } = filter
  if (groupId === undefined) return { isActive, sort }
  const group = await repository.scim.findGroup(accountId, groupId)
  return group === undefined ? 'none' : { isActive, role: group.role, sort }
}
