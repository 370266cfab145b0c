import { latestEnd } from '../../../base/runtime/latest-end.ts'
import type { Db } from '../../../sql/db.ts'

export interface MailedTokenKey {
  accountId: string
  hash: string
}

interface ValidToken {
  purpose: string
  now: number
  latest: number
}

/** The purpose of tokens, and the ends of those that are valid */
export function validFor(purpose: string, lifeSeconds: number, now: number): ValidToken {
  return { purpose, now, latest: latestEnd(now, lifeSeconds * 1000) }
}

export type MailedTokens = ReturnType<typeof createMailedTokens>

/** The statements of tokens that are mailed to a user, and work once. */
export function createMailedTokens(db: Db) {
  return {
    insert: db.statement<
      MailedTokenKey & { userId: string; purpose: string; email: string; expiresAt: number }
    >()((queries, value) =>
      queries.insertInto('clientele_email_tokens').values({
        account_id: value('accountId'),
        hash: value('hash'),
        user_id: value('userId'),
        purpose: value('purpose'),
        email: value('email'),
        expires_at: value('expiresAt'),
      }),
    ),
    find: db.statement<MailedTokenKey & ValidToken>()((queries, value) =>
      queries
        .selectFrom('clientele_email_tokens')
        .select(['user_id', 'email'])
        .where('account_id', '=', value('accountId'))
        .where('hash', '=', value('hash'))
        .where('purpose', '=', value('purpose'))
        .where('expires_at', '>', value('now'))
        .where('expires_at', '<=', value('latest')),
    ),
    take: db.statement<MailedTokenKey & ValidToken>()((queries, value) =>
      queries
        .deleteFrom('clientele_email_tokens')
        .where('account_id', '=', value('accountId'))
        .where('hash', '=', value('hash'))
        .where('purpose', '=', value('purpose'))
        .where('expires_at', '>', value('now'))
        .where('expires_at', '<=', value('latest'))
        .returning(['user_id', 'email']),
    ),
  }
}
