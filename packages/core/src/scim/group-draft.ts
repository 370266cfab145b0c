import { z } from 'zod'
import { ClienteleError } from '../base/errors.ts'
import { withoutControls } from '../base/input/bounded-text.ts'
import { codePoints } from '../base/input/input.ts'
import { isPlainObject } from '../base/input/json.ts'
import type { MemberChanges } from '../capabilities/scim/change-members.ts'
import type { ScimGroup } from '../capabilities/scim/scim-group.ts'
import type { ScimGroupInput } from '../capabilities/scim/write-scim-group.ts'
import { withoutSchema } from './attribute-name.ts'
import type { Filter } from './filter/filter.ts'
import { parsePath } from './patch/parse-path.ts'
import { listAttributes, type PatchOperation } from './patch/read-operations.ts'
import { readAttributes, readText } from './read-attributes.ts'

/** A group that is being written: from a resource, or from a group and a PATCH. */
export interface GroupDraft {
  displayName: string | null
  externalId: string | null
  /** Undefined: the members stay */
  all: Set<string> | undefined
  add: Set<string>
  remove: Set<string>
}

const filtered = new Set(['members.value', 'members.type', 'members.display'])
const maxMembers = 4_000
const memberIdSchema = z.guid().toLowerCase()

/** A group's name is a role. Blanks around it are left out, as filters do. */
const roleSchema = withoutControls(codePoints(z.string().trim(), 1, 100))
const externalIdSchema = withoutControls(codePoints(z.string(), 1, 254))

export function toGroupDraft(group?: ScimGroup): GroupDraft {
  return {
    displayName: group?.role ?? null,
    externalId: group?.externalId ?? null,
    all: undefined,
    add: new Set(),
    remove: new Set(),
  }
}

/**
 * Reads a whole group (POST, PUT). The members of a new group are added to the users who have its role already.
 *
 * @param before the group that is replaced: an external id and members that the resource leaves out stay
 * @throws ClienteleError `scim_value_invalid`
 */
export function readGroup(body: Record<string, unknown>, before?: ScimGroup): GroupDraft {
  const draft = toGroupDraft(before)
  for (const [path, value] of listAttributes(body)) {
    // As left out (RFC 7643, section 2.5): it must not take a role away.
    if (/^members(\.|$)/.test(withoutSchema(path)) && value === null) continue
    patchGroupDraft(draft, { op: before === undefined ? 'add' : 'replace', path, value })
  }
  return draft
}

/**
 * Applies an operation to a draft. Members are removed by a filter in the path, or by a list in the value, as Entra ID
 * sends it.
 *
 * @throws ClienteleError `scim_value_invalid`, `scim_path_invalid`
 */
export function patchGroupDraft(draft: GroupDraft, { op, path = '', value }: PatchOperation): void {
  const { attribute, filter, part } = parsePath(path, filtered)
  // Of a member only the id is kept: a path to another attribute of it must not select the whole member.
  if (part !== undefined && part !== 'value' && isKept(attribute))
    throw new ClienteleError('scim_path_invalid')
  if (attribute === 'displayname')
    draft.displayName = readText(path, op === 'remove' ? null : value)
  else if (attribute === 'externalid')
    draft.externalId = readText(path, op === 'remove' ? null : value)
  else if (attribute === 'members') patchMembers(draft, op, filter, value)
}

function isKept(attribute: string): boolean {
  return ['displayname', 'externalid', 'members'].includes(attribute)
}

function patchMembers(
  draft: GroupDraft,
  op: PatchOperation['op'],
  filter: Filter | undefined,
  value: unknown,
): void {
  const isAbsent = value === undefined || value === null
  if (filter !== undefined && op !== 'remove')
    throw new ClienteleError('scim_path_invalid', 'A filter of members can only remove them.')
  // An empty list is what empties a group: a value that is missing is a mistake.
  if (op === 'replace' && isAbsent)
    throw new ClienteleError('scim_value_invalid', 'members must be a list, which may be empty.')
  const ids = filter === undefined ? readMembers(value) : idsIn(filter)
  if (op === 'replace' || (op === 'remove' && filter === undefined && isAbsent)) {
    draft.all = new Set(op === 'replace' ? ids : [])
    draft.add.clear()
    draft.remove.clear()
    return
  }
  for (const id of ids) {
    if (op === 'add') draft.remove.delete(id)
    else draft.add.delete(id)
    if (draft.all === undefined) draft[op].add(id)
    else if (op === 'add') draft.all.add(id)
    else draft.all.delete(id)
  }
}

/** The ids in `[value eq "…" or value eq "…"]`. */
function idsIn(filter: Filter): string[] {
  if (filter.kind === 'or') return filter.parts.flatMap(idsIn)
  if (filter.kind === 'compare' && filter.attribute === 'members.value' && filter.operator === 'eq')
    return [readMemberId(filter.value)]
  const message = 'Members are selected by their id: members[value eq "<id>"].'
  throw new ClienteleError('scim_path_invalid', message)
}

function readMembers(value: unknown): string[] {
  if (value === undefined || value === null) return []
  const list = Array.isArray(value) ? value : [value]
  if (list.length > maxMembers) {
    const message = `members may have ${maxMembers} entries at most.`
    throw new ClienteleError('scim_value_invalid', message)
  }
  return list.map((member: unknown) =>
    readMemberId(isPlainObject(member) ? readAttributes(member).get('value') : member),
  )
}

function readMemberId(value: unknown): string {
  const { success, data } = memberIdSchema.safeParse(value)
  if (success) return data
  const message = 'members: each value must be the id of a user.'
  throw new ClienteleError('scim_value_invalid', message)
}

/** @throws ClienteleError `scim_value_invalid` */
export function finishGroupDraft(draft: GroupDraft): ScimGroupInput {
  const { all, add, remove } = draft
  const role = roleSchema.safeParse(draft.displayName)
  if (!role.success)
    throw new ClienteleError(
      'scim_value_invalid',
      'displayName must have 1 to 100 characters, and no control characters.',
    )
  const externalId = externalIdSchema.nullable().safeParse(draft.externalId)
  if (!externalId.success) {
    const message = 'externalId must have 254 characters at most, and no control characters.'
    throw new ClienteleError('scim_value_invalid', message)
  }
  const changed: MemberChanges | undefined =
    all !== undefined ? { all } : add.size + remove.size === 0 ? undefined : { add, remove }
  return { role: role.data, externalId: externalId.data, members: changed }
}
