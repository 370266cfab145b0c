import { sql } from 'kysely'
import { takeWithinBytes } from '../../../base/runtime/read-within-bytes.ts'
import type { Db } from '../../../sql/db.ts'
import { type EventRow, sizeOfEvent, toStoredEvent } from '../../events/sql/feed-queries.ts'
import { eventColumns } from '../../events/sql/record-event.ts'
import type { EventStore } from '../../events/store.ts'
import type { UserCounts } from '../../users/counts/sql/user-counts.ts'
import { createSelectVerified } from '../../users/sql/verified-emails.ts'
import type { UserKey } from '../../users/store.ts'
import { maxFormerEmails } from '../max-former-emails.ts'
import type { MailedPurpose, PersonalDataStore } from '../store.ts'
import { createErasure } from './erasure.ts'
import {
  createReadFormer,
  createSelectEmails,
  hasTypedEmail,
  isAboutUser,
  isTypedBy,
  toTypedPersonsInSlices,
  uniteEmails,
} from './person-events.ts'

/** Only the last events of a response may exceed this size. */
const maxPageBytes = 1024 * 1024

interface EventsValues extends UserKey {
  after: number
  until: number
  limit: number
  /** JSON */
  persons: string
}

export function createPersonalDataStore(
  db: Db,
  counts: UserCounts,
  events: Pick<EventStore, 'findEnd'>,
): PersonalDataStore {
  const selectEmails = createSelectEmails(db)
  const selectVerified = createSelectVerified(db)
  const readFormer = createReadFormer(db)
  const selectMailed = db.statement<UserKey>()((queries, value) =>
    queries
      .selectFrom('clientele_email_tokens')
      .select(['purpose', 'email', 'expires_at as expiresAt'])
      .where('account_id', '=', value('accountId'))
      .where('user_id', '=', value('userId'))
      .unionAll(
        queries
          .selectFrom('clientele_sign_in_codes')
          .select([sql.lit('sign_in_code').as('purpose'), 'email', 'expires_at as expiresAt'])
          .where('account_id', '=', value('accountId'))
          .where('user_id', '=', value('userId')),
      )
      .unionAll(
        queries
          .selectFrom('clientele_email_changes')
          .select([
            sql.lit('email_change_notice').as('purpose'),
            'email',
            'expires_at as expiresAt',
          ])
          .where('account_id', '=', value('accountId'))
          .where('user_id', '=', value('userId')),
      )
      .orderBy('expiresAt'),
  )
  // All positions are found first: searching for one page, a database might walk through the account's whole feed.
  const selectEvents = db.statement<EventsValues>()((queries, value) =>
    queries
      .with(
        (name) => name('places').materialized(),
        (q) =>
          q
            .selectFrom('clientele_events')
            .select('position')
            .where((of) => isAboutUser(of, value('accountId'), value('userId')))
            .where('position', '>', value('after'))
            .where('position', '<=', value('until'))
            .unionAll(
              q
                .selectFrom('clientele_events')
                .select('position')
                .where('account_id', '=', value('accountId'))
                // Written so that only the index of addresses fits: the other indexes would read every event of the account.
                .where(sql<boolean>`coalesce(subject_id, '') = ''`)
                .where(sql<boolean>`coalesce(position, 0) > ${value('after')}`)
                .where(sql<boolean>`coalesce(position, 0) <= ${value('until')}`)
                .where(hasTypedEmail)
                .where((of) => isTypedBy(db, of, value('persons'))),
            ),
      )
      .selectFrom('clientele_events')
      .select(eventColumns)
      .select(sql<number>`position`.as('position'))
      .where('account_id', '=', value('accountId'))
      .where('position', 'in', (of) =>
        of
          .selectFrom('places')
          .select('places.position')
          .orderBy('places.position')
          .limit(value('limit')),
      )
      .orderBy('position'),
  )

  return {
    ...createErasure(db, counts, events),
    findEmails: async (accountId, userId) => {
      const verified = await db.queryOne(selectVerified, { accountId, userId })
      const former = await readFormer({ accountId, userId })
      const mailed = await db.query(selectMailed, { accountId, userId })
      return {
        former: former.slice(0, maxFormerEmails),
        hasMoreFormer: former.length > maxFormerEmails,
        verified: verified ?? null,
        mailed: mailed.map(({ purpose, ...token }) => ({
          purpose: purpose as MailedPurpose, // written by us from MailedPurpose
          ...token,
        })),
      }
    },
    readEvents: async (accountId, userId, { after, limit }) => {
      const { lastPosition, purgedPosition } = await events.findEnd(accountId)
      const former = await readFormer({ accountId, userId })
      const ofRows = await db.query(selectEmails.ofOtherRows, { accountId, userId })
      const ofEvents = await db.scan(selectEmails.ofSomeEvents, { accountId, userId })
      const known = former.map((email) => ({ email }))
      const emails = uniteEmails(known, ofRows, ofEvents)
      const persons = await toTypedPersonsInSlices(emails)
      const range = { after: Math.max(after, purgedPosition), until: lastPosition }
      const input = { accountId, userId, ...range, limit: limit + 1, persons }
      // Once, because each search begins by finding all positions.
      const rows: EventRow[] = await db.scan(selectEvents, input)
      const fitting = takeWithinBytes<EventRow>(rows, {
        maxBytes: maxPageBytes,
        sizeOf: sizeOfEvent,
      })
      const page = fitting.slice(0, limit).map(toStoredEvent)
      const position = page.at(-1)?.position ?? after
      return { events: page, position, hasMore: page.length < rows.length }
    },
  }
}
