import type { QueryCreator } from 'kysely'
import type { Db, ParameterOf } from '../../../sql/db.ts'
import { ConstraintViolation } from '../../../sql/driver.ts'
import type { Effect } from '../../../sql/effects.ts'
import type { Database } from '../../../sql/tables/tables.ts'
import { type WriteWithEffects, writeWithEffects } from '../../../sql/write-with-effects.ts'
import { profileFieldNames } from '../../../user-model/fields.ts'
import { type EventValues, eventValues, recordEvent } from '../../events/sql/record-event.ts'
import type { UserChanges, UserStore } from '../store.ts'
import { endChallenges, endSignInCodes, revokeCredentials } from './revoke-credentials.ts'
import { createUserEffects } from './user-effects.ts'
import { toVersionedUser } from './user-rows.ts'
import {
  fieldValues,
  hasVersion,
  pickProfile,
  searchTextsOf,
  type UserValues,
  type WrittenUserRow,
  writtenUserColumns,
  writtenUserKinds,
} from './user-values.ts'

interface ReplaceValues extends UserValues, EventValues {
  /** Null: unchanged, like the password */
  isActive: boolean | null
  passwordHash: string | null
  updatedAt: number
  keepSessionId: string | null
  expectedVersion: number | null
  /** The address that the change takes from the user; null: none */
  formerEmail: string | null
}

type UserWrite = WriteWithEffects<ReplaceValues, WrittenUserRow>

/** A replacement that is ready to be written */
export interface PreparedReplacement {
  write: UserWrite
  input: ReplaceValues
}

/** The consequences of a replacement; each combination is one write, created on first use. */
interface Kind {
  /** Whether there is a new password or none any more, or the user is deactivated */
  revokes: boolean
  dropsPassword: boolean
  /** Whether the new password ends the user's own tokens, too */
  endsTokens: boolean
  keepsRoles: boolean
  keepsWords: boolean
  keepsEmail: boolean
  /** Whether a new address leaves open changes of the address, and tokens that take a former one back */
  keepsEmailChanges: boolean
  /** With an expected version, no other change of the user can have happened since the statement began. */
  isExpected: boolean
}

/** Prepares replacements of a user's profile, with or without the password, and with their consequences. */
export function createPrepareReplacement(
  db: Db,
): (...input: Parameters<UserStore['replace']>) => PreparedReplacement {
  const writes = new Map<string, UserWrite>()
  const effects = createUserEffects(db)

  function createWrite({
    revokes,
    dropsPassword,
    endsTokens,
    keepsRoles,
    keepsWords,
    keepsEmail,
    keepsEmailChanges,
    isExpected,
  }: Kind): UserWrite {
    const {
      dropOtherRoles,
      addRoles,
      dropOtherWords,
      addWords,
      noteFormerEmail,
      dropVerified,
      dropMailed,
      dropEmailChanges,
    } = effects
    const follow: Effect<ReplaceValues>[] = []
    if (!keepsRoles) follow.push(dropOtherRoles, addRoles)
    if (!keepsWords) follow.push(dropOtherWords, addWords)
    if (!keepsEmail) follow.push(noteFormerEmail, dropVerified, dropMailed)
    if (!keepsEmail && !keepsEmailChanges) follow.push(dropEmailChanges)
    if (revokes) follow.push(...revokeCredentials(db, { endsTokens }))
    else if (!keepsEmail) follow.push(endSignInCodes(db), endChallenges(db))
    follow.push(recordEvent(db, { person: 'changed' }))
    // A proof of the address, and what is mailed to it, only lock the user and leave the version: a change of the address
    // may have waited for them, and must end them, too.
    const seesLatest = revokes || !isExpected || !keepsEmail
    return writeWithEffects<ReplaceValues>(db)(
      (queries, value) => updateUser(db, queries, value, { endsTokens: revokes, dropsPassword }),
      follow,
      { seesLatest, columns: writtenUserKinds },
    )
  }

  function writeOf(kind: Kind): UserWrite {
    const name = JSON.stringify(kind)
    const write = writes.get(name) ?? createWrite(kind)
    writes.set(name, write)
    return write
  }

  return (accountId, userId, changes, expectedVersion, event) => {
    const { passwordHash = null, isActive = null, updatedAt } = changes
    const texts = searchTextsOf(changes)
    const known = changes.before?.user.email
    const formerEmail = known === undefined || known === changes.email ? null : known
    const input = {
      ...eventValues(event),
      accountId,
      id: userId,
      ...pickProfile(changes),
      ...texts,
      isActive,
      passwordHash,
      updatedAt,
      keepSessionId: isActive === false ? null : (changes.keepSessionId ?? null),
      expectedVersion,
      formerEmail,
    }
    return { write: writeOf(kindOf(changes, texts.words, input)), input }
  }
}

/** Replaces a user's profile, with or without the password, and writes the consequences. */
export function createUserReplacements(
  db: Db,
  { find: findUser }: Pick<UserStore, 'find'>,
): Pick<UserStore, 'replace'> {
  const prepare = createPrepareReplacement(db)

  return {
    replace: async (accountId, userId, ...given) => {
      const { write, input } = prepare(accountId, userId, ...given)
      try {
        const row = await write.execute(input)
        if (row !== undefined) return toVersionedUser(row)
      } catch (error) {
        if (error instanceof ConstraintViolation && error.kind === 'unique') return 'email_taken'
        throw error
      }
      const isThere = (await findUser(accountId, userId)) !== undefined
      return isThere ? 'precondition_failed' : 'user_not_found'
    },
  }
}

function kindOf(
  {
    before,
    isActive,
    passwordHash,
    dropsPassword: isUnwanted = false,
    endsTokens = false,
    keepsEmailChanges = false,
    roles,
  }: UserChanges,
  words: string,
  { expectedVersion, formerEmail }: Pick<ReplaceValues, 'expectedVersion' | 'formerEmail'>,
): Kind {
  const isExpected = expectedVersion !== null
  const known = isExpected && before?.version === expectedVersion ? before.user : undefined
  const dropsPassword = isUnwanted && passwordHash === undefined
  return {
    revokes: isActive === false || passwordHash !== undefined || dropsPassword,
    dropsPassword,
    endsTokens,
    keepsRoles: known?.roles === roles,
    keepsWords: known !== undefined && searchTextsOf(known).words === words,
    keepsEmail: formerEmail === null,
    keepsEmailChanges,
    isExpected,
  }
}

function updateUser(
  db: Db,
  queries: QueryCreator<Database>,
  value: ParameterOf<ReplaceValues>,
  { endsTokens, dropsPassword }: { endsTokens: boolean; dropsPassword: boolean },
) {
  return queries
    .updateTable('clientele_users')
    .set((of) => ({
      ...fieldValues(profileFieldNames, value),
      name_key: value('nameKey'),
      is_active: of.fn.coalesce(db.typed(value('isActive'), 'flag'), 'is_active'),
      password_hash: dropsPassword
        ? null
        : of.fn.coalesce(db.typed(value('passwordHash'), 'text'), 'password_hash'),
      updated_at: value('updatedAt'),
      version: of('version', '+', 1),
      tokens_not_before: endsTokens
        ? value('updatedAt')
        : // Tokens of other issuers that name the address must not follow it to another user.
          of
            .case()
            .when('email', '=', value('email'))
            .then(of.ref('tokens_not_before'))
            .else(db.typed(value('updatedAt'), 'time'))
            .end(),
    }))
    .where('account_id', '=', value('accountId'))
    .where('id', '=', value('id'))
    .where(hasVersion(value('expectedVersion')))
    .returning(writtenUserColumns)
}
