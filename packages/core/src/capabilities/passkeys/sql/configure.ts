import type { Db } from '../../../sql/db.ts'
import { run, type Transaction } from '../../../sql/statement.ts'
import { toAccount } from '../../accounts/sql/account-rows.ts'
import { createLockAccount } from '../../accounts/sql/lock-account.ts'
import { createAppendEvent, eventValues } from '../../events/sql/record-event.ts'
import type { PasskeyStore } from '../store.ts'

export function createConfigure(db: Db): PasskeyStore['configure'] {
  const lockAccount = createLockAccount(db)
  const selectAny = db.statement<{ accountId: string; rpId: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_passkeys')
      .select('id')
      .where('account_id', '=', value('accountId'))
      .where('rp_id', '=', value('rpId'))
      .limit(1),
  )
  const update = db.statement<{ accountId: string; settings: string }>()((queries, value) =>
    queries
      .updateTable('clientele_accounts')
      .set({ passkeys: value('settings') })
      .where('id', '=', value('accountId')),
  )
  const appendEvent = createAppendEvent(db)

  type Outcome = Awaited<ReturnType<PasskeyStore['configure']>>
  return (accountId, settings, isForced, eventOf) =>
    db.transact(function* (): Transaction<Outcome> {
      const [row] = yield* run(lockAccount, { accountId })
      if (row === undefined) return undefined
      const account = toAccount(row)
      const rpId = account.passkeys?.rpId
      if (rpId !== undefined && rpId !== settings.rpId && !isForced) {
        const enrolled = yield* run(selectAny, { accountId, rpId })
        if (enrolled.length > 0) return 'passkeys_enrolled'
      }
      yield* run(update, { accountId, settings: JSON.stringify(settings) })
      const event = eventOf({ ...account, passkeys: settings })
      yield* run(appendEvent, { accountId, ...eventValues(event) })
      return event
    })
}
