import type { Db } from '../../../sql/db.ts'
import { type CompiledQuery, toStep } from '../../../sql/statement.ts'
import { writeWithEffects } from '../../../sql/write-with-effects.ts'
import { userFieldNames } from '../../../user-model/fields.ts'
import type { NewEvent } from '../../events/new-event.ts'
import {
  createAppendInOrder,
  type EventValues,
  eventValues,
  recordEvent,
} from '../../events/sql/record-event.ts'
import type { NewUserRecord, UserKey } from '../store.ts'
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
    {
      foreknown: {
        effects: createEffectsOfInsert(db),
        toRow: ({ accountId, id }) => ({ account_id: accountId, id }),
      },
    },
  )
}

/** The same effects, by the user's values alone. */
function createEffectsOfInsert(db: Db): (user: InsertedUser, order: number) => CompiledQuery[] {
  type Named = UserKey & { name: string }
  const addRole = db.statement<Named>()((queries, value) =>
    queries
      .insertInto('clientele_user_roles')
      .values({ account_id: value('accountId'), role: value('name'), user_id: value('userId') })
      .onConflict((conflict) => conflict.doNothing()),
  )
  const addWord = db.statement<Named>()((queries, value) =>
    queries
      .insertInto('clientele_user_words')
      .values({ account_id: value('accountId'), word: value('name'), user_id: value('userId') })
      .onConflict((conflict) => conflict.doNothing()),
  )
  const addDelta = db.statement<UserKey>()((queries, value) =>
    queries
      .insertInto('clientele_user_count_deltas')
      .values({ account_id: value('accountId'), user_id: value('userId'), delta: 1 }),
  )
  const appendEvent = createAppendInOrder(db)
  const namesIn = (json: string) => JSON.parse(json) as string[] // as it is stored

  return (user, order) => {
    const { accountId, id: userId, roles, words } = user
    return [
      toStep(addDelta, { accountId, userId }),
      toStep(appendEvent, { ...user, order }),
      ...namesIn(roles).map((name) => toStep(addRole, { accountId, userId, name })),
      ...namesIn(words).map((name) => toStep(addWord, { accountId, userId, name })),
    ]
  }
}

export function toInsertedUser(
  accountId: string,
  user: NewUserRecord,
  event: NewEvent<'user.created'>,
): InsertedUser {
  return { ...eventValues(event), accountId, ...user, ...searchTextsOf(user) }
}
