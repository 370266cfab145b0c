import { sql } from 'kysely'
import type { Db } from '../../../sql/db.ts'
import { repeatInParts } from '../../../sql/repeat-in-parts.ts'
import { run, type Transaction } from '../../../sql/statement.ts'
import type { UserKey } from '../../users/store.ts'
import { emailOfPerson, isAboutUser } from './person-events.ts'
import { emptied } from './register.ts'

/** How many events one transaction empties. */
const emptiedAtOnce = 100

interface Place {
  position: number
}

/**
 * Removes the person from a long history in parts, so that the erasure itself finds a short one: a user can cause any
 * number of events, and one transaction for all of them would block other requests.
 *
 * Addresses that only events contain are stored as former addresses. If the erasure is interrupted here and repeated,
 * it finds them there. Returns the position in the feed up to which no event is left.
 */
export function createShortenHistory(db: Db): (user: UserKey) => Promise<number> {
  const countEvents = db.statement<UserKey>()((queries, value) =>
    queries
      .selectFrom((of) =>
        of
          .selectFrom('clientele_events')
          .select('id')
          .where((about) => isAboutUser(about, value('accountId'), value('userId')))
          .where('person', 'is not', null)
          .limit(sql.lit(emptiedAtOnce + 1))
          .as('told'),
      )
      .select((of) => of.fn.countAll<number>().as('rows')),
  )
  const selectNext = db.statement<UserKey & { after: number }>()((queries, value) =>
    queries
      .selectFrom('clientele_events')
      .select(sql<number>`position`.as('position'))
      .select((of) => emailOfPerson(db, of).as('email'))
      .where((about) => isAboutUser(about, value('accountId'), value('userId')))
      .where('position', '>', value('after'))
      .orderBy('position')
      .limit(sql.lit(emptiedAtOnce)),
  )
  const insertFormer = db.statement<UserKey & { emails: string }>()((queries, value) =>
    queries
      .insertInto('clientele_former_emails')
      .columns(['account_id', 'user_id', 'email'])
      .expression((of) =>
        of
          .selectFrom([
            'clientele_users as u',
            db.features.textsOfJsonArray(value('emails')).as('e'),
          ])
          .select(['u.account_id', 'u.id as user_id', 'e.value as email'])
          .where('u.account_id', '=', value('accountId'))
          .where('u.id', '=', value('userId'))
          .whereRef('e.value', '<>', 'u.email'),
      )
      .onConflict((conflict) => conflict.columns(['account_id', 'user_id', 'email']).doNothing()),
  )
  // By their positions, as PostgreSQL may believe that hardly any event has one: then it would search for each event of the
  // account in a list that it reads again each time.
  const emptyAt = db.statement<{ accountId: string; places: string }>()((queries, value) =>
    queries
      .updateTable('clientele_events')
      .set(emptied)
      .where('account_id', '=', value('accountId'))
      .where((of) =>
        db.features.isAmong(
          of.ref('position'),
          of
            .selectFrom(
              db.features
                .recordsOfJsonArray<Place>(value('places'), { position: 'counter' })
                .as('p'),
            )
            .select('p.position'),
        ),
      ),
  )

  function* emptySome(user: UserKey & { after: number }): Transaction<Place[]> {
    const found = yield* run(selectNext, user)
    const emails = [...new Set(found.flatMap(({ email }) => email ?? []))]
    yield* run(insertFormer, { ...user, emails: JSON.stringify(emails) })
    // Only those whose addresses were read: more may have come since.
    const places = found.map(({ position }) => ({ position }))
    yield* run(emptyAt, { accountId: user.accountId, places: JSON.stringify(places) })
    return places
  }

  return async (user) => {
    const told = await db.queryOne(countEvents, user)
    if ((told?.rows ?? 0) <= emptiedAtOnce) return 0
    let after = 0
    await repeatInParts(db, emptiedAtOnce, async () => {
      const places = await db.transact(() => emptySome({ ...user, after }))
      after = places.at(-1)?.position ?? after
      return places.length
    })
    return after
  }
}
