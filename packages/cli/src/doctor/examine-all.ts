import { defaultDatabaseUrl } from '@clientele/core/database-url'
import { openClientele } from '../with-clientele.ts'
import { examineDatabase } from './examine-database.ts'
import { examineMail } from './examine-mail.ts'
import { examineSettings } from './examine-settings.ts'
import { examine, type Finding } from './finding.ts'

/** Examines everything that a server with these settings would use. It changes nothing. */
export async function examineAll(environment: NodeJS.ProcessEnv): Promise<Finding[]> {
  const { settings, findings } = await examineSettings(environment)
  const url = environment.DATABASE_URL?.trim() || defaultDatabaseUrl
  findings.push(...(await examineStorage(url)))
  if (settings !== undefined) findings.push(await examineMail(settings))
  return findings
}

async function examineStorage(url: string): Promise<Finding[]> {
  const { openRepository } = await import('@clientele/core/database-url')
  const findings: Finding[] = []
  const opened = await examine('database', 'clientele migrate creates it', async () => {
    const repository = await openRepository(url, { fileMustExist: true })
    try {
      findings.push(...(await examineDatabase(repository)))
      // The secret is compared with what is stored.
      if (findings.every(({ status }) => status !== 'failed'))
        findings.push(
          await examine('secret', 'set CLIENTELE_SECRET to the value of the server', async () => {
            const clientele = await openClientele(repository, 'look', { checksSecret: true })
            await clientele.close()
            return { status: 'ok', message: 'it decrypts the signing keys' }
          }),
        )
    } finally {
      await repository.storage.close()
    }
    return { status: 'ok', message: '' }
  })
  return opened.status === 'ok' ? findings : [opened, ...findings]
}
