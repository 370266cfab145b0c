import { isPlainObject } from '../base/input/json.ts'
import type { ScimUser } from '../capabilities/scim/scim-user.ts'
import { patchDraft } from './patch/patch-user.ts'
import { listAttributes } from './patch/read-operations.ts'
import { emptyDraft, toDraft, type UserDraft } from './user-draft.ts'

/**
 * Reads a whole user (POST, PUT). Attributes that are not kept are ignored (RFC 7644, section 3.3).
 *
 * @param before the user that is replaced: an external id and names that the resource leaves out stay
 * @throws ClienteleError `scim_value_invalid`
 */
export function readUser(body: Record<string, unknown>, before?: ScimUser): UserDraft {
  const draft: UserDraft =
    before === undefined ? { ...emptyDraft } : { ...toDraft(before), emails: [] }
  for (const [path, value] of listAttributes(body)) {
    // As a whole: parts that are left out do not stay.
    if (path.toLowerCase() === 'name' && isPlainObject(value))
      Object.assign(draft, { givenName: null, familyName: null })
    patchDraft(draft, { op: 'replace', path, value })
  }
  return draft
}
