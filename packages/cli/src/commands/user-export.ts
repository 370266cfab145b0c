import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { ExportRecord } from '@clientele/core'
import type { Command } from 'commander'
import { idOption } from '../id-option.ts'
import { withClientele } from '../with-clientele.ts'

interface ExportOptions {
  account: string
  file?: string
  withHashes?: boolean
}

export function addUserExport(parent: Command): void {
  parent
    .command('export')
    .description('export users as NDJSON, in the order of their creation, as import takes them')
    .addOption(idOption('account'))
    .option('--file <path>', 'where to write; standard output without it')
    .option(
      '--with-hashes',
      'export password hashes too; the file is then readable by its owner only',
    )
    .action(
      withClientele(
        'look',
        async (clientele, { account, file, withHashes = false }: ExportOptions) => {
          await clientele.accounts.find(account)
          const records = clientele.users.export(account, { withHashes })
          if (file === undefined) {
            await write(records, process.stdout)
            // The records are all that is said.
            return { text: '' }
          }
          // Whoever reads the file finds all of it or nothing.
          const partial = `${file}.partial`
          const output = createWriteStream(partial, {
            mode: withHashes ? 0o600 : 0o666,
            flush: true,
          })
          try {
            const exported = await write(records, output)
            output.end()
            await finished(output)
            await rename(partial, file)
            return { json: { exported, file }, text: `Exported: ${exported}` }
          } catch (error) {
            output.destroy()
            await rm(partial, { force: true })
            throw error
          }
        },
      ),
    )
}

async function write(records: AsyncIterable<ExportRecord>, output: Writable): Promise<number> {
  let count = 0
  for await (const record of records) {
    if (!output.write(`${JSON.stringify(record)}\n`)) await once(output, 'drain')
    count++
  }
  return count
}
