import { randomBytes } from 'node:crypto'
import { repositoryOf } from '../support/open-repository.ts'
import { runSql } from '../support/run-sql.ts'

/** The coordinator of a cluster, as its superuser; `cluster.sh` beside this file starts one. */
export const citusUrl = process.env.CITUS_URL ?? ''

export interface DistributedTables {
  url: string
  schema: string
  close(): Promise<void>
}

/** Makes our tables on the cluster, distributed, in a schema of their own that has to be quoted. */
export async function openDistributed(): Promise<DistributedTables> {
  const schema = `Tenant "${randomBytes(6).toString('hex')}"`
  const url = `${citusUrl}?schema=${encodeURIComponent(schema)}`
  const { storage } = repositoryOf(url)
  await storage.migrate({ distribute: true })
  await storage.close()
  const quoted = `"${schema.replaceAll('"', '""')}"`
  return {
    url,
    schema,
    close: async () => {
      await runSql(citusUrl, `drop schema ${quoted} cascade`)
    },
  }
}
