import { kysely } from '@clientele/core/kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { codeOf, openClientele, openRepository } from '../keys/open-clientele.ts'
import { openDatabase } from '../support/databases.ts'
import { openPgKysely } from '../support/kysely-dialects.ts'
import { logIn } from '../support/log-in.ts'
import { runSql } from '../support/run-sql.ts'

/** Refuses to end sessions in a transaction that would not see those that were opened while it waited. */
const watch = `
  create function refuse_snapshot() returns trigger language plpgsql as $$
  begin
    if current_setting('transaction_isolation') <> 'read committed' then
      raise exception 'This transaction does not see what others commit.';
    end if;
    return old;
  end $$`

describe.each(['repeatable read', 'serializable'])('a database whose default is %s', (level) => {
  test.each(['pg', 'Kysely'])(
    'ends sessions in a transaction that sees what others commit, by %s',
    async (by) => {
      const { url, close } = await openDatabase('postgres')
      onTestFinished(close)
      const name = new URL(url).pathname.slice(1)
      await runSql(
        url,
        `alter database "${name}" set default_transaction_isolation = '${level}'`,
        watch,
        'create trigger watch before delete on clientele_sessions for each row execute function refuse_snapshot()',
      )
      const db = openPgKysely(url)
      const repository = by === 'pg' ? openRepository(url) : kysely(db, { dialect: 'postgres' })
      const clientele = await openClientele(url, { repository })
      onTestFinished(async () => {
        await clientele.close()
        await db.destroy()
      })
      const { id: accountId } = await clientele.accounts.create({ name: 'Acme' })
      const credentials = { email: 'ada@example.com', password: 'analytical engine' }
      const { user } = await clientele.users.create(accountId, { name: 'Ada', ...credentials })
      const open = () => logIn(clientele, accountId, credentials)
      await open()
      const change = { password: credentials.password }
      expect(await codeOf(clientele.users.patch(accountId, user.id, change))).toBeUndefined()
      expect(await clientele.sessions.list(accountId, user.id)).toEqual([])
      await open()
      expect(await codeOf(clientele.users.deactivate(accountId, user.id))).toBeUndefined()
      expect(await clientele.sessions.list(accountId, user.id)).toEqual([])
    },
  )
})
