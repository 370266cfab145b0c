import { stat } from 'node:fs/promises'
import { ClienteleError } from '@clientele/core'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { idOption } from '../id-option.ts'
import { hashFile } from '../transfer/hash-file.ts'
import { readRecords } from '../transfer/read-records.ts'
import { showProgress } from '../transfer/show-progress.ts'
import { withClientele } from '../with-clientele.ts'

interface ImportOptions {
  file: string
  account: string
  dryRun?: boolean
  onError: 'stop' | 'skip'
  fromLine: number
}

export function addUserImport(parent: Command): void {
  parent
    .command('import')
    .description('import users from NDJSON or CSV; one that was interrupted goes on where it was')
    .requiredOption('--file <path>', 'the file; .csv has a line of names, anything else is NDJSON')
    .addOption(idOption('account'))
    .option('--dry-run', 'write nothing, and say what would be said')
    .addOption(
      new Option('--from-line <number>', 'begin there: behind what is mended or imported')
        .argParser(parseLine)
        .default(1),
    )
    .addOption(
      new Option('--on-error <what>', 'what a bad line does')
        .choices(['stop', 'skip'])
        .default('stop'),
    )
    .action(
      withClientele(
        ({ dryRun }) => (dryRun ? 'look' : 'change'),
        async (clientele, options: ImportOptions) => {
          const { file, account, dryRun = false, onError, fromLine } = options
          const { size } = await stat(file).catch((cause: unknown) => {
            throw new ClienteleError('configuration_invalid', 'The file cannot be read.', { cause })
          })
          const display = showProgress(size, Date.now)
          let bytes = 0
          const records = readRecords(file, fromLine, (count) => {
            bytes += count
          })
          const result = await clientele.users.import(account, records, {
            dryRun,
            onError,
            source: `${await hashFile(file)}:${fromLine}`,
            onProgress: ({ imported }) => display.update(bytes, imported),
          })
          display.stop()
          if (result.errors.length > 0 && onError === 'stop') process.exitCode = 1
          const { imported, skipped, errors } = result
          const lines = errors.map(({ line, code, message }) => `line ${line}: ${code}: ${message}`)
          const [last] = onError === 'stop' ? errors : []
          if (last !== undefined) lines.push(howToGoOn(last.line))
          const verb = dryRun ? 'Would be imported' : 'Imported'
          return {
            json: result,
            text: [`${verb}: ${imported}, skipped: ${skipped}`, ...lines].join('\n'),
          }
        },
      ),
    )
}

function parseLine(text: string): number {
  if (!/^[1-9][0-9]{0,14}$/.test(text)) throw new InvalidArgumentError('It is a number from 1.')
  return Number(text)
}

function howToGoOn(line: number): string {
  return `Again with --on-error skip, it goes on and leaves line ${line} out; with --from-line ${line}, once you have mended it.`
}
