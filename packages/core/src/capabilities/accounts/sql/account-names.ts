import { toWireName } from '../../../base/input/wire-names.ts'
import type { Db } from '../../../sql/db.ts'
import { Rollback } from '../../../sql/driver.ts'
import { run, type Transaction } from '../../../sql/statement.ts'
import {
  type AccountNameKind,
  accountNameKinds,
  type NameTaken,
  takenCodes,
} from '../account-names.ts'

class Taken extends Rollback {
  readonly code: NameTaken

  constructor(code: NameTaken) {
    super(code)
    this.code = code
  }
}

type Names = { [Kind in AccountNameKind]?: string | null | undefined }

/** Writes what is unique over all accounts, in a transaction that has written, or locked, the account's row. */
export function createAccountNames(db: Db) {
  const remove = db.statement<{ accountId: string; kind: string }>()((queries, value) =>
    queries
      .deleteFrom('clientele_account_names')
      .where('owner_id', '=', value('accountId'))
      .where('kind', '=', value('kind')),
  )
  const removeOwn = db.statement<{ accountId: string }>()((queries, value) =>
    queries.deleteFrom('clientele_account_names').where('owner_id', '=', value('accountId')),
  )
  // Waits for a transaction that is about to take the same name.
  const take = db.statement<{ accountId: string; kind: string; name: string }>()((queries, value) =>
    queries
      .insertInto('clientele_account_names')
      .values({ kind: value('kind'), name: value('name'), owner_id: value('accountId') })
      .onConflict((conflict) => conflict.columns(['kind', 'name']).doNothing())
      .returning('kind'),
  )
  const selectOwner = db.statement<{ kind: string; name: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_account_names')
      .select('owner_id')
      .where('kind', '=', value('kind'))
      .where('name', '=', value('name')),
  )

  return {
    /** Names that are undefined stay. Rolls the transaction back when another account has one of the others. */
    *write(accountId: string, names: Names, isNew = false): Transaction<void> {
      for (const memberName of accountNameKinds) {
        const name = names[memberName]
        if (name === undefined) continue
        const kind = toWireName(memberName)
        if (!isNew) yield* run(remove, { accountId, kind })
        if (name === null) continue
        const taken = yield* run(take, { accountId, kind, name })
        if (taken.length === 0) throw new Taken(takenCodes[memberName])
      }
    },
    /** Of an account that the transaction deletes */
    *removeAll(accountId: string): Transaction<void> {
      yield* run(removeOwn, { accountId })
    },
    /** Runs the transaction of `write`; returns which name is taken, when one is. */
    async transact<T>(work: () => Transaction<T>): Promise<T | NameTaken> {
      try {
        return await db.transact(work)
      } catch (error) {
        if (error instanceof Taken) return error.code
        throw error
      }
    },
    async findOwner(memberName: AccountNameKind, name: string): Promise<string | undefined> {
      const row = await db.queryOne(selectOwner, { kind: toWireName(memberName), name })
      return row?.owner_id
    },
  }
}
