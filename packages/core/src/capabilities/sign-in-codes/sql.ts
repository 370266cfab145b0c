import { ClienteleError } from '../../base/errors.ts'
import { latestEnd } from '../../base/runtime/latest-end.ts'
import type { Db } from '../../sql/db.ts'
import { ConstraintViolation } from '../../sql/driver.ts'
import { run, type Transaction } from '../../sql/statement.ts'
import { readPolicy } from '../accounts/account-policy.ts'
import { createAddressProof } from '../users/sql/address-proof.ts'
import { createHoldUser } from '../users/sql/hold-user.ts'
import { codeLifeSeconds } from './code-life.ts'
import type { CodeUser, NewSignInCode, SignInCodeStore } from './store.ts'

interface CodeKey {
  accountId: string
  hash: string
}

export function createSignInCodeStore(db: Db): SignInCodeStore {
  return {
    put: putCode(db),
    assign: assignCode(db),
    find: findCode(db),
    takeTry: takeTry(db),
    use: useCode(db),
  }
}

function putCode(db: Db): SignInCodeStore['put'] {
  // One row per address: of simultaneous requests the last one counts.
  const upsertCode = db.statement<NewSignInCode & { accountId: string }>()((queries, value) =>
    queries
      .insertInto('clientele_sign_in_codes')
      .values({
        account_id: value('accountId'),
        email: value('email'),
        hash: value('hash'),
        code_hash: value('codeHash'),
        token_hash: value('tokenHash'),
        tries_left: value('tries'),
        expires_at: value('expiresAt'),
      })
      .onConflict((conflict) =>
        conflict.columns(['account_id', 'email']).doUpdateSet((of) => ({
          hash: of.ref('excluded.hash'),
          user_id: of.ref('excluded.user_id'),
          code_hash: of.ref('excluded.code_hash'),
          token_hash: of.ref('excluded.token_hash'),
          tries_left: of.ref('excluded.tries_left'),
          expires_at: of.ref('excluded.expires_at'),
        })),
      ),
  )

  return async (accountId, code) => {
    try {
      await db.query(upsertCode, { accountId, ...code })
    } catch (error) {
      const isGone = error instanceof ConstraintViolation && error.kind === 'foreign_key'
      throw isGone ? new ClienteleError('account_not_found') : error
    }
  }
}

function assignCode(db: Db): SignInCodeStore['assign'] {
  const holdUser = createHoldUser(db)
  const updateUser = db.statement<CodeKey & { userId: string | null }>()((queries, value) =>
    queries
      .updateTable('clientele_sign_in_codes')
      .set({ user_id: value('userId') })
      .where('account_id', '=', value('accountId'))
      .where('hash', '=', value('hash'))
      .returning('hash'),
  )

  return (accountId, hash, email) =>
    db.transact(function* (): Transaction<string | undefined> {
      const userId = yield* holdUser({ accountId, email })
      const [code] = yield* run(updateUser, { accountId, hash, userId: userId ?? null })
      return code && userId
    })
}

/** The ends of codes that are valid */
function validAt(now: number) {
  return { now, latest: latestEnd(now, codeLifeSeconds * 1000) }
}

function findCode(db: Db): SignInCodeStore['find'] {
  const selectCode = db.statement<CodeKey & { now: number; latest: number }>()((queries, value) =>
    queries
      .selectFrom('clientele_accounts as a')
      .leftJoin('clientele_sign_in_codes as c', (join) =>
        join
          .on('c.account_id', '=', value('accountId'))
          .on('c.hash', '=', value('hash'))
          .on('c.expires_at', '>', value('now'))
          .on('c.expires_at', '<=', value('latest'))
          .on('c.tries_left', '>', 0),
      )
      .select(['a.policy', 'c.email'])
      .where('a.id', '=', value('accountId'))
      .where('a.disabled_at', 'is', null),
  )

  return async (accountId, hash, now) => {
    const row = await db.queryOne(selectCode, { accountId, hash, ...validAt(now) })
    if (row === undefined) return undefined
    const { email } = row
    return { policy: readPolicy(row.policy), found: email === null ? undefined : { email } }
  }
}

function takeTry(db: Db): SignInCodeStore['takeTry'] {
  const updateTries = db.statement<CodeKey & { now: number; latest: number }>()((queries, value) =>
    queries
      .updateTable('clientele_sign_in_codes')
      .set((of) => ({ tries_left: of('tries_left', '-', 1) }))
      .where('account_id', '=', value('accountId'))
      .where('hash', '=', value('hash'))
      .where('expires_at', '>', value('now'))
      .where('expires_at', '<=', value('latest'))
      .where('tries_left', '>', 0)
      .returning(['email', 'user_id', 'code_hash', 'token_hash']),
  )

  return async (accountId, hash, now) => {
    const row = await db.queryOne(updateTries, { accountId, hash, ...validAt(now) })
    return (
      row && {
        email: row.email,
        userId: row.user_id,
        codeHash: row.code_hash,
        tokenHash: row.token_hash,
      }
    )
  }
}

function useCode(db: Db): SignInCodeStore['use'] {
  const proof = createAddressProof(db)
  const deleteCode = db.statement<CodeKey & { userId: string }>()((queries, value) =>
    queries
      .deleteFrom('clientele_sign_in_codes')
      .where('account_id', '=', value('accountId'))
      .where('hash', '=', value('hash'))
      .where('user_id', '=', value('userId'))
      .returning('hash'),
  )

  return (accountId, { hash, userId, email }, now, events) =>
    db.transact(function* (): Transaction<CodeUser | undefined> {
      const key = { accountId, userId, email }
      // The user first: what ends the code locks the user first, too.
      const holder = yield* proof.lock(key)
      if (!holder?.user.isActive) return undefined
      const used = yield* run(deleteCode, { accountId, hash, userId })
      if (used.length === 0) return undefined
      const { user, passwordHash, tokensNotBefore, isFirst } = holder
      if (!isFirst) return { user, passwordHash, tokensNotBefore, told: [] }
      const ended = yield* proof.endEnrolled(key, user, events)
      const proved = (yield* proof.dropPassword(key, now))?.user ?? user
      yield* proof.noteVerified(key, now)
      const verified = events.verified(proved)
      yield* proof.append(accountId, [verified])
      const told = [...ended, verified]
      return { user: proved, passwordHash: null, tokensNotBefore: now, told }
    })
}
