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

/** The groups as resources. Together they list a bounded number of members: those of further groups are left out. */
export async function* renderGroups(
  services: ScimRoutesServices,
  context: RouteContext,
  groups: readonly ScimGroup[],
  wanted: z.output<typeof resourceQuerySchema>,
): AsyncGenerator<Resource, undefined> {
  const root = findScimRoot(services, context)
  const project = createProject(wanted)
  const hasMembers = isWanted(wanted, 'members')
  let left = maxListedMembers
  for (const group of groups) {
    const members = hasMembers ? await listMembers(services, context.call, group, left) : undefined
    left -= members?.length ?? 0
    yield project(renderGroup(root, group, members))
  }
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
