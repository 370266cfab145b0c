import type { SessionRepository } from '../repository.ts'
import { CombinedWrite } from './combined-write.ts'
import type { Database } from './database.ts'

export function createSessionQueries(database: Database): SessionRepository {
  const insertSession = new CombinedWrite<
    {
      accountId: string
      id: string
      userId: string
      amr: string
      createdAt: number
      expiresAt: number
      passwordHash: string | null
      refreshTokenHash: string
      refreshTokenExpiresAt: number
    },
    { account_id: string; id: string }
  >(
    database,
    (queries, value) =>
      queries
        .insertInto('clientele_sessions')
        .columns(['account_id', 'id', 'user_id', 'amr', 'created_at', 'last_used_at', 'expires_at'])
        .expression((of) =>
          of
            .selectFrom('clientele_users')
            .select([
              'account_id',
              database.typed(value('id'), 'id').as('id'),
              'id as user_id',
              database.typed(value('amr'), 'json').as('amr'),
              database.typed(value('createdAt'), 'time').as('created_at'),
              database.typed(value('createdAt'), 'time').as('last_used_at'),
              database.typed(value('expiresAt'), 'time').as('expires_at'),
            ])
            .where('account_id', '=', value('accountId'))
            .where('id', '=', value('userId'))
            .where('is_active', '=', true)
            // Null too: a user without a password signs in by other means.
            .where('password_hash', 'is not distinct from', value('passwordHash'))
            // A deletion, deactivation or new password at this moment waits, and then ends this session too; or it
            // was first, and the user is read again as it left it.
            .$if(database.differences.writesAtOnce, (locked) => locked.forShare()),
        )
        .returning(['account_id', 'id']),
    [
      (queries, value) =>
        queries
          .insertInto('clientele_refresh_tokens')
          .columns(['account_id', 'session_id', 'hash', 'created_at', 'expires_at'])
          .expression((of) =>
            of
              .selectFrom('changed')
              .select([
                'account_id',
                'id as session_id',
                database.typed(value('refreshTokenHash'), 'text').as('hash'),
                database.typed(value('createdAt'), 'time').as('created_at'),
                database.typed(value('refreshTokenExpiresAt'), 'time').as('expires_at'),
              ]),
          ),
    ],
  )

  return {
    createSession: async (accountId, session, passwordHash) => {
      const input = { accountId, ...session, amr: JSON.stringify(session.amr), passwordHash }
      return (await insertSession.execute(input)) !== undefined
    },
  }
}
