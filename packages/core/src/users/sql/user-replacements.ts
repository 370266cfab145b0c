import { ConstraintViolation, type Db, type ParameterOf, type Queries } from '../../sql/db.ts'
import { toVersionedUser, type VisibleUserRow } from '../../sql/rows.ts'
import { type Effect, WriteWithEffects } from '../../sql/write-with-effects.ts'
import type { UserChanges, UserStore } from '../store.ts'
import { createUserEffects } from './user-effects.ts'
import { hasVersion, textsOf, type UserValues, writtenUserColumns } from './user-values.ts'

interface ReplaceValues extends UserValues {
  /** Null: it stays; so does the password */
  isActive: boolean | null
  passwordHash: string | null
  updatedAt: number
  keepSessionId: string | null
  expectedVersion: number | null
}

type UserWrite = WriteWithEffects<ReplaceValues, VisibleUserRow>

/** What a replacement brings with it; each kind is one write, made when it is first needed. */
interface Kind {
  shutsOut: 'by password' | 'by deactivation' | undefined
  keepsRoles: boolean
  keepsWords: boolean
  /** With an expected version nobody can have changed what belongs to the user since the statement began. */
  isExpected: boolean
}

/** Replaces a user's profile, with the password or not, and what follows from that. */
export function createUserReplacements(
  db: Db,
  { find: findUser }: Pick<UserStore, 'find'>,
): Pick<UserStore, 'replace'> {
  const writes = new Map<string, UserWrite>()
  const effects = createUserEffects(db)

  function createWrite({ shutsOut, keepsRoles, keepsWords, isExpected }: Kind): UserWrite {
    const { dropOtherRoles, addRoles, dropOtherWords, addWords } = effects
    const { endSessions, endOtherSessions, endResets, endChallenges } = effects
    const follow: Effect<ReplaceValues>[] = []
    if (!keepsRoles) follow.push(dropOtherRoles, addRoles)
    if (!keepsWords) follow.push(dropOtherWords, addWords)
    if (shutsOut !== undefined) {
      const end = shutsOut === 'by password' ? endOtherSessions : endSessions
      follow.push(end, endResets, endChallenges)
    }
    return new WriteWithEffects<ReplaceValues, VisibleUserRow>(
      db,
      (queries, value) => updateUser(db, queries as Queries, value, shutsOut !== undefined),
      follow,
      { seesLatest: shutsOut !== undefined || (!isExpected && follow.length > 0) },
    )
  }

  function writeOf(kind: Kind): UserWrite {
    const name = JSON.stringify(kind)
    const write = writes.get(name) ?? createWrite(kind)
    writes.set(name, write)
    return write
  }

  return {
    replace: async (accountId, userId, changes, expectedVersion) => {
      const { passwordHash = null, isActive = null, updatedAt } = changes
      const texts = textsOf(changes)
      const input = {
        accountId,
        id: userId,
        email: changes.email,
        name: changes.name,
        ...texts,
        isActive,
        passwordHash,
        updatedAt,
        keepSessionId: changes.keepSessionId ?? null,
        expectedVersion,
      }
      try {
        const row = await writeOf(kindOf(changes, texts, expectedVersion)).execute(input)
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
  { before, isActive, passwordHash }: UserChanges,
  texts: ReturnType<typeof textsOf>,
  expectedVersion: number | null,
): Kind {
  const isExpected = expectedVersion !== null
  const known = isExpected && before?.version === expectedVersion ? textsOf(before.user) : undefined
  const shutsOut =
    isActive === false ? 'by deactivation' : passwordHash === undefined ? undefined : 'by password'
  return {
    shutsOut,
    keepsRoles: known?.roles === texts.roles,
    keepsWords: known?.words === texts.words,
    isExpected,
  }
}

function updateUser(
  db: Db,
  queries: Queries,
  value: ParameterOf<ReplaceValues>,
  endsTokens: boolean,
) {
  return queries
    .updateTable('clientele_users')
    .set((of) => ({
      email: value('email'),
      name: value('name'),
      name_key: value('nameKey'),
      roles: value('roles'),
      metadata: value('metadata'),
      is_active: of.fn.coalesce(db.typed(value('isActive'), 'flag'), 'is_active'),
      password_hash: of.fn.coalesce(db.typed(value('passwordHash'), 'text'), 'password_hash'),
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
