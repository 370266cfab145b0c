import type { Repository } from '@clientele/core'
import { defaultDatabaseUrl, openRepository } from '@clientele/core/database-url'
import type { Settings } from '../server/settings/setting-table.ts'
import { openClientele } from '../with-clientele.ts'
import { examineDatabase, notExamined } from './examine-database.ts'
import { examineMail } from './examine-mail.ts'
import { examineSettings, findMailSettings } from './examine-settings.ts'
import { examine, type Finding } from './finding.ts'

const adviceOfSecret =
  "set CLIENTELE_SECRET to the server's, or put the file of the secret back beside the database; a new database gets one " +
  'at the first start'

/** Examines everything that a server with these settings would use. It changes nothing. */
export async function examineAll(environment: NodeJS.ProcessEnv): Promise<Finding[]> {
  const { settings, findings } = await examineSettings(environment)
  const url = environment.DATABASE_URL?.trim() || defaultDatabaseUrl
  findings.push(...(await examineStorage(url, settings)))
  const replicaUrl = environment.DATABASE_REPLICA_URL?.trim()
  if (replicaUrl) findings.push(await examineReplica(replicaUrl))
  findings.push(await examineMail(settings ?? (await findMailSettings(environment))))
  return findings
}

async function examineStorage(url: string, settings: Settings | undefined): Promise<Finding[]> {
  const findings: Finding[] = []
  const opened = await examine('database', 'check DATABASE_URL', async () => {
    const repository = await openRepository(url, { fileMustExist: true })
    try {
      findings.push(...(await examineDatabase(repository, settings)))
      findings.push(await examineSecret(repository, findings))
    } finally {
      await repository.storage.close()
    }
    return { status: 'ok', message: '' }
  })
  if (opened.status === 'ok') return findings
  const isMissing = opened.message.startsWith('There is no SQLite file')
  const advice = 'the server creates it, or clientele migrate'
  return [isMissing ? { ...opened, status: 'warning', advice } : opened, ...findings]
}

function examineSecret(repository: Repository, findings: readonly Finding[]): Promise<Finding> {
  return examine('secret', adviceOfSecret, async () => {
    // The secret is compared with what is stored.
    if (findings.some(({ check, status }) => check === 'database' && status === 'failed'))
      return { status: 'warning', message: notExamined }
    if (findings.some(({ check, status }) => check === 'migrations' && status !== 'ok'))
      return { status: 'warning', message: 'not examined: the schema is not up to date' }
    // A Clientele encrypts what is under an older secret again: the servers may not have the new one yet.
    const storage = { ...repository.storage, replaceSecrets: async () => {} }
    const looking = { ...repository, storage }
    const clientele = await openClientele(looking, 'look', { checksSecret: true })
    await clientele.close()
    return { status: 'ok', message: 'it decrypts the stored secrets' }
  })
}

function examineReplica(url: string): Promise<Finding> {
  return examine(
    'replica',
    'check DATABASE_REPLICA_URL; the primary answers meanwhile',
    async () => {
      const { storage } = await openRepository(url)
      try {
        await storage.ping()
      } finally {
        await storage.close()
      }
      return { status: 'ok', message: 'it answers' }
    },
  )
}
