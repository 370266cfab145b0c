import type { Profile } from '../../user-model/client-user.ts'
import { mapProfile } from '../../user-model/fields.ts'
import { toClientUser, type VersionedUser } from '../../user-model/stored-user.ts'

/** The members of a user that callers set: all of them, so that a change of some leaves the others. */
export function profileOf({ user }: VersionedUser): Profile {
  const all = toClientUser(user)
  return mapProfile((name) => all[name])
}
