import { type Command, InvalidArgumentError, Option } from 'commander'
import { fileOption } from '../../file-option.ts'
import { idOption } from '../../id-option.ts'
import { type ImportSettings, reportImport } from '../../transfer/report-import.ts'
import { withClientele } from '../../with-clientele.ts'

export function addUserImport(parent: Command): void {
  parent
    .command('import')
    .description('import users from NDJSON or CSV; one that was interrupted goes on where it was')
    .addOption(
      fileOption(
        'the file; .csv has a line of names, anything else is NDJSON',
      ).makeOptionMandatory(),
    )
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
    .addOption(
      new Option(
        '--on-conflict <what>',
        'what a line does whose e-mail or id a user has already (default: as --on-error); update: the user gets what it says',
      ).choices(['stop', 'skip', 'update']),
    )
    .addOption(
      new Option(
        '--unknown-hash <what>',
        'what a line does whose password hash cannot be verified (default: as --on-error); reset: the user comes without a password',
      ).choices(['stop', 'skip', 'reset']),
    )
    .addOption(
      new Option(
        '--max-hash-ms <number>',
        'how long it may take to verify one password hash, on one core; at most 10000. Dear ones make sign-ins slow',
      )
        .argParser((text) => parseUpTo(text, 10_000))
        .default(1_000),
    )
    .addOption(
      new Option(
        '--max-hash-mib <number>',
        'how much memory it may take to verify one password hash; at most 1024',
      )
        .argParser((text) => parseUpTo(text, 1_024))
        .default(256),
    )
    .option('--events', 'one event a user, in place of one a batch')
    .option('--ignore <column...>', 'columns to leave out; others that are unknown stop the import')
    .addHelpText(
      'after',
      '\nExit codes: 0 everything was imported, 1 it stopped, 2 lines were left out as bad or unknown, 130 interrupted.',
    )
    .action(
      withClientele(
        ({ dryRun }: ImportSettings) => (dryRun ? 'look' : 'change'),
        async (clientele, settings) => {
          const { importFile } = await import('../../transfer/import-file.ts')
          const result = await importFile(clientele, settings)
          const { text, exitCode } = reportImport(result, settings)
          process.exitCode = exitCode
          return { json: result, text }
        },
      ),
    )
}

function parseUpTo(text: string, most: number): number {
  if (!/^[1-9][0-9]{0,4}$/.test(text) || Number(text) > most)
    throw new InvalidArgumentError(`It is a number from 1 to ${most}.`)
  return Number(text)
}

function parseLine(text: string): number {
  if (!/^[1-9][0-9]{0,14}$/.test(text)) throw new InvalidArgumentError('It is a number from 1.')
  return Number(text)
}
