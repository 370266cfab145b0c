import type { ClienteleMethods } from '../clientele.ts'

/**
 * What can be done in a transaction of the host's. Not signing in and what belongs to it: it counts failures, which must
 * stay when the transaction is rolled back, and sends mail, which cannot be taken back. Nor what works in many
 * transactions (imports, exports, the deletion of an account), nor what reads the feed, whose places are given after the
 * commit.
 */
export const joinedMethods = {
  accounts: ['create', 'find', 'list', 'rename', 'disable', 'enable'],
  apiKeys: ['create', 'list', 'rotate', 'revoke'],
  users: [
    'create',
    'find',
    'list',
    'replace',
    'patch',
    'activate',
    'deactivate',
    'delete',
    'getEmailVerifiedAt',
  ],
  sessions: ['list', 'revoke', 'revokeAll'],
} as const satisfies {
  [Group in keyof ClienteleMethods]?: readonly (keyof ClienteleMethods[Group])[]
}

type Joined = typeof joinedMethods

/** The methods of `Clientele` that take part in a transaction of the host's, by their groups. */
export type JoinedMethods = {
  [Group in keyof Joined]: Pick<
    ClienteleMethods[Group],
    Joined[Group][number] & keyof ClienteleMethods[Group]
  >
}
