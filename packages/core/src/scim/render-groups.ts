import type { z } from 'zod'
import type { Call } from '../base/call/call.ts'
import type { ScimGroup, ScimMember } from '../capabilities/scim/scim-group.ts'
import type { RouteContext } from '../http/route.ts'
import { renderGroup } from './group-resource.ts'
import type { resourceQuerySchema } from './list-query.ts'
import { createProject, isWanted } from './project.ts'
import { findScimRoot, type Resource } from './resource.ts'
import type { ScimRoutesServices } from './services.ts'

/** How many members a response lists. The members of larger groups are left out, and listed by a filter of users. */
const maxListedMembers = 1_000
/** How often the members of a group that is renamed meanwhile are listed: then they are left out. */
const maxListings = 3

/** The groups as resources. Together they list a bounded number of members: those of further groups are left out. */
export async function* renderGroups(
  services: ScimRoutesServices,
  context: RouteContext,
  groups: readonly ScimGroup[],
  wanted: z.output<typeof resourceQuerySchema>,
): AsyncGenerator<Resource, undefined> {
  const render = createRender(services, context, wanted)
  let left = maxListedMembers
  for (const group of groups) {
    const { resource, listed } = await render(group, left)
    left -= listed
    yield resource
  }
}

/** One group as a resource, as it is when its members have been read. */
export function renderWithMembers(
  services: ScimRoutesServices,
  context: RouteContext,
  group: ScimGroup,
  wanted: z.output<typeof resourceQuerySchema>,
): Promise<RenderedGroup> {
  return createRender(services, context, wanted)(group, maxListedMembers)
}

interface RenderedGroup {
  group: ScimGroup
  resource: Resource
  /** How many members it lists */
  listed: number
}

function createRender(
  services: ScimRoutesServices,
  context: RouteContext,
  wanted: z.output<typeof resourceQuerySchema>,
) {
  const root = findScimRoot(services, context)
  const project = createProject(wanted)
  const hasMembers = isWanted(wanted, 'members')
  return async (given: ScimGroup, most: number): Promise<RenderedGroup> => {
    const { group, members } = hasMembers
      ? await readMembers(services, context.call, given, most)
      : { group: given }
    const resource = project(renderGroup(root, group, members))
    return { group, resource, listed: members?.length ?? 0 }
  }
}

interface GroupWithMembers {
  group: ScimGroup
  members?: ScimMember[] | undefined
}

/** A group with its members. A rename gives them another role one by one: who has got it already is not left out. */
async function readMembers(
  services: ScimRoutesServices,
  call: Call,
  given: ScimGroup,
  most: number,
): Promise<GroupWithMembers> {
  let group = given
  for (let tries = 1; tries <= maxListings; tries++) {
    const members = await listMembers(services, call, group, most)
    if (members === undefined) return { group }
    const { findGroup } = services.repository.scim
    const present = await findGroup(call.accountId, group.id)
    if (present === undefined || present.version === group.version) return { group, members }
    group = present
  }
  return { group }
}

/**
 * Undefined when the group has more members: a part of them would look like all. Those with the former role of a group that is
 * being renamed are read first: they may get the new one meanwhile.
 */
async function listMembers(
  { repository }: ScimRoutesServices,
  { accountId }: Call,
  { role, formerRole }: ScimGroup,
  most: number,
): Promise<ScimMember[] | undefined> {
  // Asked first: a list may have a hundred groups that are too large, and reading their members would take long.
  const roles = formerRole === null ? [role] : [formerRole, role]
  for (const each of roles)
    if (await repository.scim.hasMoreMembers(accountId, each, most)) return undefined
  const members = new Map<string, ScimMember>()
  for (const each of roles)
    for (const member of await repository.scim.listMembers(accountId, each, most + 1))
      members.set(member.id, member)
  return members.size > most ? undefined : [...members.values()]
}
