import { Pool } from 'pg'
import { openDatabase } from '../support/databases.ts'
import { stopAutovacuum } from '../support/run-sql.ts'
import { openRecorded } from '../support/statement-recorder.ts'

export type PlanWorld = Awaited<ReturnType<typeof openForPlans>>

/** A PostgreSQL whose statistics only the test makes, with a repository that tells what it runs, and a pool to explain it. */
export async function openForPlans() {
  const database = await openDatabase('postgres')
  const { url } = database
  const recorded = openRecorded(url)
  await recorded.repository.storage.migrate()
  await stopAutovacuum(url)
  const pool = new Pool({ connectionString: url })
  // The database is removed while a connection may still be saying goodbye.
  pool.on('connect', (client) => client.on('error', () => {}))
  const close = async (): Promise<void> => {
    await pool.end()
    await recorded.close()
    await database.close()
  }
  return { url, recorded, repository: recorded.repository, pool, close }
}
