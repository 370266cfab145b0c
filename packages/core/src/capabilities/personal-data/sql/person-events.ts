import { type Expression, type ExpressionBuilder, sql } from 'kysely'
import { mapInSlices } from '../../../base/runtime/time-slice.ts'
import type { Db, ParameterOf, Queries } from '../../../sql/db.ts'
import type { Database } from '../../../sql/tables/tables.ts'
import type { EventType, EventTypes } from '../../events/event-types.ts'
import { renderPerson } from '../../events/new-event.ts'
import type { UserKey } from '../../users/store.ts'
import { maxFormerEmails } from '../max-former-emails.ts'

type EventWithEmail = {
  [Type in EventType]: EventTypes[Type] extends { person: 'email' } ? Type : never
}[EventType]

/** The types with a typed address; the index covers no other types. */
const typesWithEmail: Record<EventWithEmail, true> = {
  'user.login_failed': true,
  'user.password_reset_requested': true,
}
const types = sql.join(Object.keys(typesWithEmail).map((type) => sql.lit(type)))

/** Whether an event has a typed address: exactly the condition of the index. */
export const hasTypedEmail = sql<boolean>`type in (${types})`

/** Whether an event has one of these addresses; each finds its events by the index on `hasTypedEmail`. */
export function isTypedBy(
  db: Db,
  of: ExpressionBuilder<Database, 'clientele_events'>,
  persons: Expression<string>,
) {
  const list = of.selectFrom(db.features.textsOfJsonArray(persons).as('p')).select('p.value')
  return db.features.isAmong(of.ref('person'), list)
}

/** Whether an event is about a user. */
export function isAboutUser(
  of: ExpressionBuilder<Database, 'clientele_events'>,
  accountId: Expression<string>,
  userId: Expression<string>,
) {
  return of.and([
    of('account_id', '=', accountId),
    of('subject_id', '=', userId),
    of('subject_type', '=', sql.lit('user')),
  ])
}

/** The address in an event: the user's own, or the typed one */
export function emailOfPerson(db: Db, of: ExpressionBuilder<Database, 'clientele_events'>) {
  const { textInJson } = db.features
  const person = of.ref('person')
  return of.fn.coalesce(textInJson(person, 'user', 'email'), textInJson(person, 'email'))
}

/** The stored text of an event's typed address: a list of such texts selects the events. */
export function toTypedPersons(emails: readonly string[]): string {
  return JSON.stringify(emails.map((email) => renderPerson({ email })))
}

/** The same for any number of addresses, in slices of the event loop's time. */
export async function toTypedPersonsInSlices(emails: readonly string[]): Promise<string> {
  const texts = await mapInSlices(emails, (email) => JSON.stringify(renderPerson({ email })))
  return `[${texts.join(',')}]`
}

const tablesWithEmail = ['clientele_verified_emails', 'clientele_sign_in_codes'] as const
const formerTable = 'clientele_former_emails'
/** Makes the function that reads a user's former addresses, in their order; one more than the limit if there are more. */
export function createReadFormer(db: Db): (user: UserKey) => Promise<string[]> {
  const select = db.statement<UserKey>()((queries, value) =>
    queries
      .selectFrom(formerTable)
      .select('email')
      .where('account_id', '=', value('accountId'))
      .where('user_id', '=', value('userId'))
      .orderBy('email')
      .limit(sql.lit(maxFormerEmails + 1)),
  )

  return async (user) => (await db.query(select, user)).map(({ email }) => email)
}

/** All known addresses of a person, present and former ones. */
export function createSelectEmails(db: Db) {
  const createOfRows = (...tables: ((typeof tablesWithEmail)[number] | typeof formerTable)[]) =>
    db.statement<UserKey>()((queries, value) => {
      const select = (table: (typeof tables)[number] | 'clientele_email_tokens') =>
        queries
          .selectFrom(table)
          .select('email')
          .where('account_id', '=', value('accountId'))
          .where('user_id', '=', value('userId'))
      return queries
        .selectFrom('clientele_users')
        .select('email')
        .where('account_id', '=', value('accountId'))
        .where('id', '=', value('userId'))
        .unionAll(tables.map(select))
        .unionAll(
          select('clientele_email_tokens')
            // An address that the user has only asked for may be a stranger's.
            .where('purpose', '<>', sql.lit('email_change')),
        )
        .unionAll(
          queries
            .selectFrom('clientele_challenges')
            .select(sql<string>`mailed_to`.as('email'))
            .where('account_id', '=', value('accountId'))
            .where('user_id', '=', value('userId'))
            .where('mailed_to', 'is not', null),
        )
    })
  const ofRows = createOfRows(...tablesWithEmail, formerTable)
  /** Without the former addresses */
  const ofOtherRows = createOfRows(...tablesWithEmail)
  const select = (queries: Queries, value: ParameterOf<UserKey>) =>
    queries
      .selectFrom('clientele_events')
      .select((of) => emailOfPerson(db, of).as('email'))
      .distinct()
      .where((of) => isAboutUser(of, value('accountId'), value('userId')))
      .where('person', 'is not', null)
  const ofEvents = db.statement<UserKey>()(select)
  const ofSomeEvents = db.statement<UserKey>()((queries, value) =>
    select(queries, value).limit(sql.lit(maxFormerEmails)),
  )
  /** Events after a position of the feed */
  const ofLaterEvents = db.statement<UserKey & { after: number }>()((queries, value) =>
    select(queries, value).where('position', '>', value('after')),
  )
  /** Events without a position */
  const ofPendingEvents = db.statement<UserKey>()((queries, value) =>
    select(queries, value).where('position', 'is', null),
  )
  return { ofRows, ofOtherRows, ofEvents, ofSomeEvents, ofLaterEvents, ofPendingEvents }
}

/** The addresses of both statements, without duplicates. */
export function uniteEmails(
  ...lists: readonly (readonly { email: string | null }[])[]
): readonly string[] {
  return [...new Set(lists.flat().flatMap(({ email }) => email ?? []))]
}
