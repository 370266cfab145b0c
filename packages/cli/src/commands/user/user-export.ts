import type { ExportRecord } from '@clientele/core'
import type { Command } from 'commander'
import { exportAction, exportLines } from '../../export-lines.ts'
import { fileOption } from '../../file-option.ts'
import { idOption } from '../../id-option.ts'
import { withClientele } from '../../with-clientele.ts'

interface ExportOptions {
  account: string
  file?: string
  withHashes?: boolean
}

export function addUserExport(parent: Command): void {
  const run = withClientele(
    'look',
    async (clientele, { account, file, withHashes = false }: ExportOptions) => {
      await clientele.accounts.find(account)
      const records = toLines(clientele.users.export(account, { withHashes }))
      return exportLines(records, file)
    },
  )
  parent
    .command('export')
    .description(
      'export users as NDJSON, one per line, in the order of their creation, in the format of the import',
    )
    .addOption(idOption('account'))
    .addOption(fileOption('the file to write; default: standard output. --json needs it'))
    .option('--with-hashes', 'export password hashes too')
    .addHelpText('after', '\nExample: clientele user export --account ID --file users.ndjson')
    .action(exportAction(run))
}

/** The records as the lines of the file have them. */
async function* toLines(records: AsyncIterable<ExportRecord>): AsyncGenerator<object> {
  const { toWire } = await import('@clientele/core')
  for await (const record of records) yield toWire(record)
}
