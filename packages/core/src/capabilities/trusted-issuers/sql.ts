import type { Db } from '../../sql/db.ts'
import { ConstraintViolation } from '../../sql/driver.ts'
import type { Effect } from '../../sql/effects.ts'
import { mapRecords } from '../../sql/record-mapper.ts'
import { run } from '../../sql/statement.ts'
import { writeWithEffects } from '../../sql/write-with-effects.ts'
import {
  createAppendEvent,
  type EventValues,
  eventValues,
  recordEvent,
} from '../events/sql/record-event.ts'
import type { TrustedIssuerRecord, TrustedIssuerStore } from './store.ts'

const issuers = mapRecords<TrustedIssuerRecord>()('clientele_trusted_issuers', 'account_id')
type IssuerValues = ReturnType<typeof issuers.toValues> & { accountId: string }

export function createTrustedIssuerStore(db: Db): TrustedIssuerStore {
  return {
    create: createIssuer(db),
    list: listIssuers(db),
    update: updateIssuer(db),
    delete: deleteIssuer(db),
  }
}

/** The columns of an issuer whose change may end waiting sign-ins */
const issuerKinds = { account_id: 'id', id: 'id', issuer: 'sortedText', sign_in: 'flag' } as const
type ChangedIssuer = { account_id: string; id: string; issuer: string; sign_in: boolean }

/** Ends waiting sign-ins of users who have an identity of the changed issuer. */
function endChallenges(
  isEnding: 'always' | 'without sign_in',
): Effect<{ accountId: string }, ChangedIssuer> {
  return (queries, value) =>
    queries
      .deleteFrom('clientele_challenges')
      .where('account_id', '=', value('accountId'))
      .where('hash', 'in', (of) =>
        of
          .selectFrom(['clientele_challenges as c', 'changed'])
          .select('c.hash')
          .where('c.account_id', '=', value('accountId'))
          .$if(isEnding === 'without sign_in', (ending) =>
            ending.where('changed.sign_in', '=', false),
          )
          // The issuer's identities are many, those of a user are few.
          .where('changed.issuer', 'in', (identity) =>
            identity
              .selectFrom('clientele_identities as i')
              .select('i.issuer')
              .where('i.account_id', '=', value('accountId'))
              .whereRef('i.user_id', '=', 'c.user_id'),
          ),
      )
}

function createIssuer(db: Db): TrustedIssuerStore['create'] {
  const insertIssuer = writeWithEffects<IssuerValues & EventValues>(db)(
    (queries, value) =>
      queries
        .insertInto('clientele_trusted_issuers')
        .values({
          account_id: value('accountId'),
          ...issuers.assign(value),
        })
        .returning(['account_id', 'id']),
    [recordEvent(db)],
  )

  return async (accountId, issuer, event) => {
    try {
      await insertIssuer.execute({
        ...eventValues(event),
        ...issuers.toValues(issuer),
        accountId,
      })
      return 'created'
    } catch (error) {
      if (!(error instanceof ConstraintViolation)) throw error
      return error.kind === 'unique' ? 'issuer_taken' : 'account_not_found'
    }
  }
}

function listIssuers(db: Db): TrustedIssuerStore['list'] {
  const selectIssuers = db.statement<{ accountId: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_trusted_issuers')
      .selectAll()
      .where('account_id', '=', value('accountId'))
      .orderBy('id'),
  )

  return async (accountId) => {
    const rows = await db.query(selectIssuers, { accountId })
    return rows.map(issuers.toRecord)
  }
}

function updateIssuer(db: Db): TrustedIssuerStore['update'] {
  const changeIssuer = writeWithEffects<IssuerValues & { unchangedSince: number } & EventValues>(
    db,
  )(
    (queries, value) =>
      queries
        .updateTable('clientele_trusted_issuers')
        .set(issuers.assign(value, ['id', 'created_at']))
        .where('account_id', '=', value('accountId'))
        .where('id', '=', value('id'))
        .where('updated_at', '=', value('unchangedSince'))
        .returning(['account_id', 'id', 'issuer', 'sign_in']),
    [endChallenges('without sign_in'), recordEvent(db)],
    { columns: issuerKinds },
  )

  return async (accountId, issuer, unchangedSince, event) => {
    try {
      const values = {
        ...eventValues(event),
        ...issuers.toValues(issuer),
        accountId,
        unchangedSince,
      }
      const row = await changeIssuer.execute(values)
      return row === undefined ? 'issuer_changed' : 'updated'
    } catch (error) {
      if (error instanceof ConstraintViolation && error.kind === 'unique') return 'issuer_taken'
      throw error
    }
  }
}

function deleteIssuer(db: Db): TrustedIssuerStore['delete'] {
  const removeIssuer = writeWithEffects<{ accountId: string; id: string }>(db)(
    (queries, value) =>
      queries
        .deleteFrom('clientele_trusted_issuers')
        .where('account_id', '=', value('accountId'))
        .where('id', '=', value('id'))
        .returning(['account_id', 'id', 'issuer', 'sign_in']),
    [endChallenges('always')],
    { columns: issuerKinds },
  )
  const appendEvent = createAppendEvent(db)

  return (accountId, id, eventOf) =>
    db.transact(function* () {
      const [removed] = yield* removeIssuer.run({ accountId, id })
      if (removed === undefined) return undefined
      const event = eventOf(removed.issuer)
      yield* run(appendEvent, { accountId, ...eventValues(event) })
      return event
    })
}
