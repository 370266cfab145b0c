import { CommanderError } from 'commander'
import packageJson from '../package.json' with { type: 'json' }
import { CliCommand } from './cli-command.ts'
import { addAccountCreate } from './commands/account/account-create.ts'
import { addAccountDelete } from './commands/account/account-delete.ts'
import { addAccountDisable } from './commands/account/account-disable.ts'
import { addAccountEnable } from './commands/account/account-enable.ts'
import { addAccountList } from './commands/account/account-list.ts'
import { addAccountPasskeys } from './commands/account/account-passkeys.ts'
import { addAccountRecount } from './commands/account/account-recount.ts'
import { addAccountRename } from './commands/account/account-rename.ts'
import { addConsoleLink } from './commands/console-link.ts'
import { addEventExport } from './commands/event/event-export.ts'
import { addEventTail } from './commands/event/event-tail.ts'
import { addEventVerify } from './commands/event/event-verify.ts'
import { addIssuerCreate } from './commands/issuer/issuer-create.ts'
import { addIssuerDelete } from './commands/issuer/issuer-delete.ts'
import { addIssuerList } from './commands/issuer/issuer-list.ts'
import { addIssuerUpdate } from './commands/issuer/issuer-update.ts'
import { addKeyCreate } from './commands/key/key-create.ts'
import { addKeyList } from './commands/key/key-list.ts'
import { addKeyRevoke } from './commands/key/key-revoke.ts'
import { addKeyRotate } from './commands/key/key-rotate.ts'
import { addMigrate } from './commands/migrate.ts'
import { addServe } from './commands/serve.ts'
import { addSigningKeyList } from './commands/signing-key/signing-key-list.ts'
import { addSigningKeyRemove } from './commands/signing-key/signing-key-remove.ts'
import { addSigningKeyRetire } from './commands/signing-key/signing-key-retire.ts'
import { addSigningKeyRotate } from './commands/signing-key/signing-key-rotate.ts'
import { addUserExport } from './commands/user/user-export.ts'
import { addUserImport } from './commands/user/user-import.ts'
import { isBrokenPipe } from './transfer/write-lines.ts'

/** Who waits for what is printed hears of its fault too, and has it said once. */
const said = new WeakSet<object>()

// Who reads what is printed may leave before its end: `clientele user export … | head`.
process.stdout.on('error', (error) => {
  if (!isBrokenPipe(error)) void fail(error)
})
// What it failed to say cannot be said.
process.stderr.on('error', (error) => {
  if (!isBrokenPipe(error)) process.exitCode = 1
})

async function fail(error: unknown): Promise<void> {
  if (error instanceof Error) {
    if (said.has(error)) return
    said.add(error)
  }
  const { reportError } = await import('./report-error.ts')
  process.exitCode = reportError(error)
}

const program = new CliCommand('clientele')
  .description('Serves Clientele, and manages its accounts and keys.')
  .version(packageJson.version, '--version', 'print the version')
  .option('--json', 'print one JSON document on standard output, and nothing else')
  .addHelpText(
    'after',
    '\nDATABASE_URL says where (sqlite:./data/clientele.sqlite by default), CLIENTELE_SECRET what signing keys are\n' +
      'encrypted under. Exit codes: 0 done, 1 failed, 2 used wrongly,\n' +
      'or records were left out of an import; 130 interrupted.',
  )
  .showHelpAfterError('(--help shows how it is used)')
  .exitOverride()

addServe(program)
addMigrate(program)
addConsoleLink(program)

const account = program.command('account').description('customers of the API')
addAccountCreate(account)
addAccountList(account)
addAccountRename(account)
addAccountDisable(account)
addAccountEnable(account)
addAccountDelete(account)
addAccountRecount(account)
addAccountPasskeys(account)

const key = program.command('key').description('API keys of an account')
addKeyCreate(key)
addKeyList(key)
addKeyRotate(key)
addKeyRevoke(key)

const signingKey = program.command('signing-key').description('keys that sign tokens')
addSigningKeyList(signingKey)
addSigningKeyRotate(signingKey)
addSigningKeyRetire(signingKey)
addSigningKeyRemove(signingKey)

const issuer = program
  .command('issuer')
  .description('other issuers whose tokens an account accepts')
addIssuerCreate(issuer)
addIssuerList(issuer)
addIssuerUpdate(issuer)
addIssuerDelete(issuer)

const user = program.command('user').description('client users of an account')
addUserImport(user)
addUserExport(user)

const event = program.command('event').description('what happened in an account, and who did it')
addEventTail(event)
addEventExport(event)
addEventVerify(event)

try {
  await program.parseAsync()
} catch (error) {
  // Commander has said on standard error what is wrong with the usage.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2
  else await fail(error)
}
