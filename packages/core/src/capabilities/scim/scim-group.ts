/** A group: the users who have a role. */
export interface ScimGroup {
  id: string
  /** The name of the group */
  role: string
  externalId: string | null
  /** Counts the changes of its names, not those of its members */
  version: number
  /** Milliseconds since the epoch, like the next one */
  createdAt: number
  updatedAt: number
  /** The role before a rename, while members are left who have it; null: none are */
  formerRole: string | null
}

export interface StoredScimGroup extends ScimGroup {
  roleKey: string
  /** The last member with the former role who was treated, by id; null: none was */
  formerAfter: string | null
}

/** A member of a group. */
export interface ScimMember {
  id: string
  name: string
}

/** How many groups an account may have */
export const maxGroups = 5_000
/** How many users one request may add to a group, and how many it changes when a group is renamed or deleted */
export const maxChangedMembers = 2_000
