import type { Clientele } from '@clientele/core'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { fileOption } from '../../file-option.ts'
import { idOption } from '../../id-option.ts'
import { parseUpTo } from '../../parse-up-to.ts'
import { fileFormats } from '../../transfer/file-format.ts'
import { type ImportSettings, reportImport } from '../../transfer/report-import.ts'
import { UsageError } from '../../usage-error.ts'
import { type Output, withClientele, withMail } from '../../with-clientele.ts'

export function addUserImport(parent: Command): void {
  parent
    .command('import')
    .description(
      'import users from NDJSON or CSV; an interrupted import continues where it stopped',
    )
    .addOption(fileOption('the file: NDJSON, or CSV with a header line').makeOptionMandatory())
    .addOption(
      new Option(
        '--format <format>',
        'the format of the file (default: csv if its name ends in .csv, otherwise ndjson)',
      ).choices(fileFormats),
    )
    .addOption(idOption('account'))
    .option('--dry-run', 'write nothing, and report what would happen')
    .addOption(
      new Option('--from-line <number>', 'begin at this line, for instance after correcting it')
        .argParser(parseLine)
        .default(1),
    )
    .addOption(
      new Option('--on-error <what>', 'how to handle an invalid line')
        .choices(['stop', 'skip'])
        .default('stop'),
    )
    .addOption(
      new Option(
        '--on-conflict <what>',
        'how to handle a line whose e-mail or id a user already has; update: change that user (default: the value of --on-error, so stop)',
      ).choices(['stop', 'skip', 'update']),
    )
    .addOption(
      new Option(
        '--unknown-hash <what>',
        'how to handle a line with an unreadable password hash; reset: import the user without a password (default: the value of --on-error, so stop)',
      ).choices(['stop', 'skip', 'reset']),
    )
    .addOption(
      new Option(
        '--max-hash-ms <number>',
        'the maximum time to verify a password hash, on one core; up to 10000. Expensive hashes slow down sign-ins',
      )
        .argParser(parseUpTo(10_000))
        .default(1_000),
    )
    .addOption(
      new Option(
        '--max-hash-mib <number>',
        'the maximum memory to verify a password hash; up to 1024',
      )
        .argParser(parseUpTo(1_024))
        .default(256),
    )
    .option('--invite', 'mail each new user without a password how to set one, as user invite does')
    .option(
      '--expire-passwords',
      'make each user choose another password at the next sign-in with the imported one',
    )
    .option('--locale <tag>', 'the language of these mails, such as de or pt-BR')
    .option('--events', 'one event per new user instead of one per batch')
    .option(
      '--map <column=name...>',
      'columns to read under another name, for instance full_name=name mail=email',
    )
    .option(
      '--ignore <column...>',
      'columns to leave out; any other unknown column stops the import',
    )
    .addHelpText(
      'after',
      '\nExample: clientele user import --account ID --file users.csv --dry-run\n\nExit codes: 0 everything was imported, 1 it stopped, 2 invalid or conflicting lines were skipped or users not invited, 130 interrupted.',
    )
    .action((settings: ImportSettings, command: Command) =>
      (settings.invite ? withMail : withClientele)(accessOf, runImport)(settings, command),
    )
}

const accessOf = ({ dryRun }: ImportSettings) => (dryRun ? 'look' : 'change')

async function runImport(clientele: Clientele, settings: ImportSettings): Promise<Output> {
  if (settings.locale !== undefined && !settings.invite)
    throw new UsageError('--locale is the language of invitations: it needs --invite.')
  const { importFile } = await import('../../transfer/import-file.ts')
  const result = await importFile(clientele, settings)
  const { text, exitCode } = reportImport(result, settings)
  process.exitCode = exitCode
  return { json: result, text }
}

function parseLine(text: string): number {
  if (!/^[1-9][0-9]{0,14}$/.test(text)) throw new InvalidArgumentError('Give a number, 1 or more.')
  return Number(text)
}
