import { counter, id, nullable, sortedText, type Table, text, time } from './column.ts'

/** What SCIM stores beside users and their roles. */
export const scimTables = {
  /** The names that an identity provider gives to users */
  clientele_scim_users: {
    erasure: 'with the user',
    columns: {
      account_id: id(),
      user_id: id('pseudonym'),
      user_name: text('personal'),
      /** The same without regard to case: unique in the account */
      user_name_key: sortedText('personal'),
      external_id: nullable(sortedText('personal')),
      given_name: nullable(text('personal')),
      family_name: nullable(text('personal')),
      /** The user's name when the two above were written: they do not count for another name */
      full_name: text('personal'),
    },
  },
  /** Groups: each is a role, with or without members */
  clientele_scim_groups: {
    erasure: 'none',
    columns: {
      account_id: id(),
      id: id(),
      role: sortedText(),
      /** The same without regard to case: unique in the account */
      role_key: sortedText(),
      external_id: nullable(sortedText()),
      version: counter(),
      created_at: time(),
      updated_at: time(),
      /** While members are left who have the role of before a rename */
      former_role: nullable(sortedText()),
      /** The last of these members who was treated, by id: some may not have the new role */
      former_after: nullable(id()),
    },
  },
  /** The request that changes groups of the account */
  clientele_scim_leases: {
    erasure: 'none',
    columns: { account_id: id(), holder: text(), renewals: counter() },
  },
} as const satisfies Record<string, Table>
