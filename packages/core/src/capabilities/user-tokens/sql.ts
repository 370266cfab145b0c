import { sql } from 'kysely'
import { maxSetBackMs } from '../../base/runtime/latest-end.ts'
import type { Db } from '../../sql/db.ts'
import { idsInJson, toIdsJson } from '../../sql/ids-in-json.ts'
import { run, type Transaction } from '../../sql/statement.ts'
import type { Database } from '../../sql/tables/tables.ts'
import { writeWithEffects } from '../../sql/write-with-effects.ts'
import {
  createAppendEvent,
  type EventValues,
  eventValues,
  recordEvent,
} from '../events/sql/record-event.ts'
import { createWriteAndTell } from '../events/sql/write-and-tell.ts'
import { keptMs } from '../users/sql/end-user-tokens.ts'
import { withUserLocked } from '../users/sql/with-user-locked.ts'
import type { UserKey } from '../users/store.ts'
import type { CreateUserTokenOutcome, UserTokenRecord, UserTokenStore } from './store.ts'
import { isUserTokenOver, maxUserTokens } from './user-token.ts'

type TokenKey = UserKey & { tokenId: string }
type Ending = { revokedAt: number; keptUntil: number }

const minuteMs = 60_000
const columns = [
  ...(['id', 'name', 'scopes', 'prefix', 'created_at'] as const),
  ...(['expires_at', 'revoked_at', 'last_used_at'] as const),
] as const

export function createUserTokenStore(db: Db): UserTokenStore {
  return {
    create: createToken(db),
    list: listTokens(db, { withRevoked: false }),
    listStored: listTokens(db, { withRevoked: true }),
    rename: renameToken(db),
    revoke: revokeToken(db),
    revokeAll: revokeTokens(db),
    noteUse: noteUse(db),
  }
}

function createToken(db: Db): UserTokenStore['create'] {
  const lockUser = db.statement<UserKey>()((queries, value) =>
    queries
      .selectFrom('clientele_users')
      .select('is_active')
      .where('account_id', '=', value('accountId'))
      .where('id', '=', value('userId'))
      .$if(db.features.hasConcurrentWriters, (locked) => locked.forNoKeyUpdate()),
  )
  const selectTokens = db.statement<UserKey>()((queries, value) =>
    queries
      .selectFrom('clientele_user_tokens')
      .select(['id', 'created_at', 'expires_at', 'revoked_at'])
      .where('account_id', '=', value('accountId'))
      .where('user_id', '=', value('userId'))
      .orderBy('id'),
  )
  const deleteTokens = db.statement<{ accountId: string; ids: string }>()((queries, value) =>
    queries
      .deleteFrom('clientele_user_tokens')
      .where('account_id', '=', value('accountId'))
      .where((of) => db.features.isAmong(of.ref('id'), idsInJson(db.features, value('ids')))),
  )
  const insertToken = db.statement<
    TokenKey & {
      name: string
      scopes: string
      prefix: string
      hash: string
      createdAt: number
      expiresAt: number | null
      keptUntil: number | null
    }
  >()((queries, value) =>
    queries.insertInto('clientele_user_tokens').values({
      account_id: value('accountId'),
      id: value('tokenId'),
      user_id: value('userId'),
      name: value('name'),
      scopes: value('scopes'),
      prefix: value('prefix'),
      hash: value('hash'),
      created_at: value('createdAt'),
      expires_at: value('expiresAt'),
      kept_until: value('keptUntil'),
    }),
  )
  const appendEvent = createAppendEvent(db)

  return (accountId, { id: tokenId, ...token }, maximum, event) =>
    db.transact(function* (): Transaction<CreateUserTokenOutcome> {
      const key = { accountId, userId: token.userId }
      // Locks the user, so that concurrent calls count each other's tokens.
      const [user] = yield* run(lockUser, key)
      if (user === undefined) return 'user_not_found'
      if (!user.is_active) return 'user_inactive'
      const held = yield* run(selectTokens, key)
      const isLive = (row: (typeof held)[number]) =>
        row.revoked_at === null &&
        !isUserTokenOver({ createdAt: row.created_at, expiresAt: row.expires_at }, token.createdAt)
      if (held.filter(isLive).length >= maximum) return 'user_token_limit_reached'
      // A user who makes and revokes many has at most as many ended ones.
      const endOf = (row: (typeof held)[number]) => row.revoked_at ?? row.expires_at ?? 0
      const ended = held.filter((row) => !isLive(row))
      const surplus = ended.toSorted((one, other) => endOf(one) - endOf(other)).slice(0, -maximum)
      if (surplus.length > 0) {
        const ids = toIdsJson(surplus.map(({ id }) => id))
        yield* run(deleteTokens, { accountId, ids })
      }
      const keptUntil = token.expiresAt === null ? null : token.expiresAt + keptMs
      const scopes = JSON.stringify(token.scopes)
      yield* run(insertToken, { accountId, tokenId, ...token, scopes, keptUntil })
      yield* run(appendEvent, { ...eventValues(event), accountId })
      return 'created'
    })
}

function listTokens(db: Db, { withRevoked }: { withRevoked: boolean }): UserTokenStore['list'] {
  const selectTokens = db.statement<UserKey>()((queries, value) =>
    queries
      .selectFrom('clientele_user_tokens')
      .select(columns)
      .where('account_id', '=', value('accountId'))
      .where('user_id', '=', value('userId'))
      .$if(!withRevoked, (live) => live.where('revoked_at', 'is', null))
      .orderBy('id')
      .limit(sql.lit(2 * maxUserTokens + 1)),
  )

  return async (accountId, userId) =>
    (await db.query(selectTokens, { accountId, userId })).map(toRecord)
}

function renameToken(db: Db): UserTokenStore['rename'] {
  const rename = writeWithEffects<TokenKey & { name: string } & EventValues>(db)(
    (queries, value) =>
      queries
        .updateTable('clientele_user_tokens')
        .set({ name: value('name') })
        .where('account_id', '=', value('accountId'))
        .where('user_id', '=', value('userId'))
        .where('id', '=', value('tokenId'))
        .where('revoked_at', 'is', null)
        .$call(withUserLocked(db, value))
        .returning(['account_id', ...columns]),
    [recordEvent(db)],
    {
      columns: {
        ...{ account_id: 'id', id: 'id', name: 'text', scopes: 'text', prefix: 'text' },
        ...{ created_at: 'time', expires_at: 'time', revoked_at: 'time' },
        last_used_at: 'time',
      },
    },
  )

  return async (accountId, userId, tokenId, name, event) => {
    const input = { ...eventValues(event), accountId, userId, tokenId, name }
    const row = await rename.execute(input)
    return row && toRecord(row)
  }
}

function revokeToken(db: Db): UserTokenStore['revoke'] {
  const revoke = writeWithEffects<TokenKey & Ending & EventValues>(db)(
    (queries, value) =>
      queries
        .updateTable('clientele_user_tokens')
        .set({ revoked_at: value('revokedAt'), kept_until: value('keptUntil') })
        .where('account_id', '=', value('accountId'))
        .where('user_id', '=', value('userId'))
        .where('id', '=', value('tokenId'))
        .where('revoked_at', 'is', null)
        .$call(withUserLocked(db, value))
        .returning(['account_id', 'id']),
    [recordEvent(db)],
  )

  return async (accountId, userId, tokenId, revokedAt, event) => {
    const input = { accountId, userId, tokenId, ...toEnding(revokedAt) }
    return (await revoke.execute({ ...eventValues(event), ...input })) !== undefined
  }
}

function revokeTokens(db: Db): UserTokenStore['revokeAll'] {
  const writeAndTell = createWriteAndTell(db)
  const revokeAll = writeWithEffects<UserKey & Ending>(db)(
    (queries, value) =>
      queries
        .updateTable('clientele_user_tokens')
        .set({ revoked_at: value('revokedAt'), kept_until: value('keptUntil') })
        .where('account_id', '=', value('accountId'))
        .where('user_id', '=', value('userId'))
        .where('revoked_at', 'is', null)
        .$call(withUserLocked(db, value))
        .returning(['account_id', 'id']),
    [],
    { seesLatest: true },
  )

  return (accountId, userId, revokedAt, eventOf) => {
    const input = { accountId, userId, ...toEnding(revokedAt) }
    return writeAndTell(accountId, () => revokeAll.run(input), eventOf)
  }
}

function toEnding(revokedAt: number): Ending {
  return { revokedAt, keptUntil: revokedAt + keptMs }
}

function noteUse(db: Db): UserTokenStore['noteUse'] {
  const note = db.statement<{
    accountId: string
    tokenId: string
    at: number
    before: number
    latest: number
  }>()((queries, value) =>
    queries
      .updateTable('clientele_user_tokens')
      .set({ last_used_at: value('at') })
      .where('account_id', '=', value('accountId'))
      .where('id', '=', value('tokenId'))
      .where((of) =>
        of.or([
          of('last_used_at', 'is', null),
          of('last_used_at', '<=', value('before')),
          of('last_used_at', '>', value('latest')),
        ]),
      ),
  )

  return async (accountId, tokenId, usedAt) => {
    const [before, latest] = [usedAt - minuteMs, usedAt + maxSetBackMs]
    await db.query(note, { accountId, tokenId, at: usedAt, before, latest })
  }
}

function toRecord(
  row: Pick<Database['clientele_user_tokens'], (typeof columns)[number]>,
): UserTokenRecord {
  return {
    id: row.id,
    name: row.name,
    scopes: JSON.parse(row.scopes) as string[], // written by us from string[]
    prefix: row.prefix,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
  }
}
