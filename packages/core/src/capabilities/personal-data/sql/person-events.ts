import { type Expression, type ExpressionBuilder, sql } from 'kysely'
import type { Db, ParameterOf, Queries } from '../../../sql/db.ts'
import type { Database } from '../../../sql/tables/tables.ts'
import type { EventType, EventTypes } from '../../events/event-types.ts'
import { renderPerson } from '../../events/new-event.ts'
import type { UserKey } from '../../users/store.ts'

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

const tablesWithEmail = [
  'clientele_verified_emails',
  'clientele_former_emails',
  'clientele_email_tokens',
] as const

/** All known addresses of a person, present and former ones. */
export function createSelectEmails(db: Db) {
  const ofRows = db.statement<UserKey>()((queries, value) => {
    const select = (table: (typeof tablesWithEmail)[number]) =>
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
      .unionAll(tablesWithEmail.map(select))
      .unionAll(
        queries
          .selectFrom('clientele_challenges')
          .select(sql<string>`mailed_to`.as('email'))
          .where('account_id', '=', value('accountId'))
          .where('user_id', '=', value('userId'))
          .where('mailed_to', 'is not', null),
      )
  })
  const select = (queries: Queries, value: ParameterOf<UserKey>) =>
    queries
      .selectFrom('clientele_events')
      .select((of) => emailOfPerson(db, of).as('email'))
      .distinct()
      .where((of) => isAboutUser(of, value('accountId'), value('userId')))
      .where('person', 'is not', null)
  const ofEvents = db.statement<UserKey>()(select)
  /** Events after a position of the feed */
  const ofLaterEvents = db.statement<UserKey & { after: number }>()((queries, value) =>
    select(queries, value).where('position', '>', value('after')),
  )
  /** Events without a position */
  const ofPendingEvents = db.statement<UserKey>()((queries, value) =>
    select(queries, value).where('position', 'is', null),
  )
  return { ofRows, ofEvents, ofLaterEvents, ofPendingEvents }
}

/** The addresses of both statements, without duplicates. */
export function uniteEmails(
  ...lists: readonly (readonly { email: string | null }[])[]
): readonly string[] {
  return [...new Set(lists.flat().flatMap(({ email }) => email ?? []))]
}
