import { type Command, CommanderError } from 'commander'
import packageJson from '../package.json' with { type: 'json' }
import { CliCommand } from './cli-command.ts'
import { addAccountCreate } from './commands/account/account-create.ts'
import { addAccountDelete } from './commands/account/account-delete.ts'
import { addAccountDisable } from './commands/account/account-disable.ts'
import { addAccountEnable } from './commands/account/account-enable.ts'
import { addAccountFind } from './commands/account/account-find.ts'
import { addAccountList } from './commands/account/account-list.ts'
import { addAccountPasskeys } from './commands/account/account-passkeys.ts'
import { addAccountPolicy } from './commands/account/account-policy.ts'
import { addAccountRecount } from './commands/account/account-recount.ts'
import { addAccountRename } from './commands/account/account-rename.ts'
import { addAccountUpdate } from './commands/account/account-update.ts'
import { addConsoleLink } from './commands/console-link.ts'
import { addDoctor } from './commands/doctor.ts'
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
import { addMcp } from './commands/mcp.ts'
import { addMigrate } from './commands/migrate.ts'
import { addServe } from './commands/serve.ts'
import { addSigningKeyList } from './commands/signing-key/signing-key-list.ts'
import { addSigningKeyRemove } from './commands/signing-key/signing-key-remove.ts'
import { addSigningKeyRetire } from './commands/signing-key/signing-key-retire.ts'
import { addSigningKeyRotate } from './commands/signing-key/signing-key-rotate.ts'
import { addUserCreate } from './commands/user/user-create.ts'
import { addUserExpirePassword } from './commands/user/user-expire-password.ts'
import { addUserExport } from './commands/user/user-export.ts'
import { addUserFind } from './commands/user/user-find.ts'
import { addUserImport } from './commands/user/user-import.ts'
import { addUserInvite } from './commands/user/user-invite.ts'
import { addUserList } from './commands/user/user-list.ts'
import { addUserReset } from './commands/user/user-reset.ts'
import { addUserActivate, addUserDeactivate, addUserDelete } from './commands/user/user-state.ts'
import { addUserToken } from './commands/user/user-token.ts'
import { addUserTwoFactor } from './commands/user/user-two-factor.ts'
import { addUserUpdate } from './commands/user/user-update.ts'
import { addWebhookCreate } from './commands/webhook/webhook-create.ts'
import {
  addWebhookDelete,
  addWebhookReplay,
  addWebhookTest,
} from './commands/webhook/webhook-deliveries.ts'
import { addWebhookAttempts, addWebhookList } from './commands/webhook/webhook-list.ts'
import { paint } from './paint.ts'
import { isBrokenPipe } from './transfer/write-lines.ts'
import { UsageError } from './usage-error.ts'

/**
 * The reported errors. A failed write is an error of the stream and of the command that awaits it: it is reported once.
 */
const said = new WeakSet<object>()

// A reader of standard output may close it early: `clientele user export … | head`.
process.stdout.on('error', (error) => {
  if (!isBrokenPipe(error)) void fail(error)
})
// If standard error fails, nothing can be reported.
process.stderr.on('error', (error) => {
  if (!isBrokenPipe(error)) process.exitCode = 1
})

/** The command whose action runs */
let running: Command | undefined

async function fail(error: unknown): Promise<void> {
  if (error instanceof Error) {
    if (said.has(error)) return
    said.add(error)
  }
  const { reportError } = await import('./report-error.ts')
  process.exitCode = reportError(error, isJson(), running)
}

/** Commander may not have read the option when it finds a wrong one. */
function isJson(): boolean {
  return process.argv.includes('--json')
}

/** What Commander says of wrong usage; of a group without a command it prints only its help. */
function describeUsage({ code, message }: CommanderError): string {
  if (code !== 'commander.help') return message.replace(/^error: /, '')
  const [, name] = process.argv.slice(1).filter((each) => !each.startsWith('-'))
  const group = program.commands.find((each) => each.name() === name) ?? program
  return `Name a command: ${group.commands.map((each) => each.name()).join(', ')}.`
}

const program = new CliCommand('clientele')
  .description('Serves Clientele, and manages its accounts and keys.')
  .version(packageJson.version, '-v, --version', 'print the version')
  .option('--json', 'print one JSON document on standard output, and nothing else')
  .addHelpText(
    'after',
    '\nExample: clientele account create --name Acme\n' +
      '\nDATABASE_URL names the database (default: sqlite:./data/clientele.sqlite), CLIENTELE_SECRET is the secret that\n' +
      'encrypts signing keys. Exit codes: 0 done, 1 failed, 2 wrong usage or an import skipped lines, 130 interrupted.',
  )
  .showHelpAfterError(isJson() ? false : '(--help shows the usage)')
  .configureOutput({
    writeErr: (text) => (isJson() ? undefined : process.stderr.write(text)),
    outputError: (text, write) => {
      const [, label = '', rest = ''] = /^(error:)?(.*)$/s.exec(text) ?? []
      if (!isJson()) write(paint(['bold', 'red'], label, process.stderr) + rest)
    },
  })
  .configureHelp({ styleTitle: (text) => paint('bold', text) })
  .exitOverride()
  .hook('preAction', (_, command) => {
    running = command
  })

addServe(program)
addMigrate(program)
addDoctor(program)
addConsoleLink(program)
addMcp(program)

const account = program.command('account').description('accounts, one per customer')
addAccountCreate(account)
addAccountList(account)
addAccountFind(account)
addAccountUpdate(account)
addAccountRename(account)
addAccountDisable(account)
addAccountEnable(account)
addAccountDelete(account)
addAccountRecount(account)
addAccountPasskeys(account)
addAccountPolicy(account)

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

const user = program.command('user').description('users of an account')
addUserCreate(user)
addUserInvite(user)
addUserList(user)
addUserFind(user)
addUserUpdate(user)
addUserDeactivate(user)
addUserActivate(user)
addUserReset(user)
addUserTwoFactor(user)
addUserExpirePassword(user)
addUserToken(user)
addUserDelete(user)
addUserImport(user)
addUserExport(user)

const webhook = program.command('webhook').description('endpoints that events are sent to')
addWebhookCreate(webhook)
addWebhookList(webhook)
addWebhookTest(webhook)
addWebhookAttempts(webhook)
addWebhookReplay(webhook)
addWebhookDelete(webhook)

const event = program.command('event').description('the events of an account')
addEventTail(event)
addEventExport(event)
addEventVerify(event)

try {
  await program.parseAsync()
} catch (error) {
  // Commander has already reported the wrong usage as text.
  const isReported = error instanceof CommanderError && (error.exitCode === 0 || !isJson())
  if (isReported) process.exitCode = error.exitCode === 0 ? 0 : 2
  else if (!(error instanceof CommanderError)) await fail(error)
  else await fail(new UsageError(describeUsage(error)))
}
