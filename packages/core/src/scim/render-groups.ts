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

/** Undefined when the group has more members: a part of them would look like all. */
async function listMembers(
  { repository }: ScimRoutesServices,
  { accountId }: Call,
  { role }: ScimGroup,
  most: number,
): Promise<ScimMember[] | undefined> {
  // Asked first: a list may have a hundred groups that are too large, and reading their members would take long.
  if (await repository.scim.hasMoreMembers(accountId, role, most)) return undefined
  const members = await repository.scim.listMembers(accountId, role, most + 1)
  return members.length > most ? undefined : members
}
