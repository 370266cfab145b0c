import type { Db } from '../../../sql/db.ts'
import { writeWithEffects } from '../../../sql/write-with-effects.ts'
import { userFieldNames } from '../../../user-model/fields.ts'
import type { NewEvent } from '../../events/new-event.ts'
import { type EventValues, eventValues, recordEvent } from '../../events/sql/record-event.ts'
import type { NewUserRecord } from '../store.ts'
import { createUserEffects } from './user-effects.ts'
import { fieldValues, searchTextsOf, type UserValues } from './user-values.ts'

type InsertedUser = UserValues & Omit<NewUserRecord, keyof UserValues> & EventValues

/** Writes a new user with the event; writes nothing when a user of the account has this e-mail. */
export function createInsertUser(db: Db) {
  const { addRoles, addWords, noteCount } = createUserEffects(db)
  return writeWithEffects<InsertedUser>(db)(
    (queries, value) =>
      queries
        .insertInto('clientele_users')
        .values({
          account_id: value('accountId'),
          ...fieldValues(userFieldNames, value),
          name_key: value('nameKey'),
          password_hash: value('passwordHash'),
          version: 1,
          tokens_not_before: value('createdAt'),
        })
        .onConflict((conflict) => conflict.columns(['account_id', 'email']).doNothing())
        .returning(['account_id', 'id']),
    [addRoles, addWords, noteCount(1), recordEvent(db)],
  )
}

export function toInsertedUser(
  accountId: string,
  user: NewUserRecord,
  event: NewEvent<'user.created'>,
): InsertedUser {
  return { ...eventValues(event), accountId, ...user, ...searchTextsOf(user) }
}
