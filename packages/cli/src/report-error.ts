import { ClienteleError, type ErrorCode } from '@clientele/core'
import type { Command } from 'commander'
import { describeFault } from './describe-fault.ts'
import { Interrupted } from './interrupt.ts'
import { nameOptionsIn, namePointer } from './name-options.ts'
import { paint } from './paint.ts'
import { UsageError } from './usage-error.ts'

const urlHint = 'DATABASE_URL is sqlite:./file, or postgres://user:password@host/database'
const fileHint = 'set DATABASE_URL to another database, or create this one with clientele migrate'
const hints: Partial<Record<ErrorCode, string>> = {
  migration_missing: 'clientele migrate applies the missing migrations',
  account_not_found: 'clientele account list shows the accounts of this database',
  api_key_not_found: 'clientele key list --account ID shows the keys of an account',
  user_not_found: 'clientele user list --account ID shows the users of an account',
  webhook_not_found: 'clientele webhook list --account ID shows the endpoints of an account',
  issuer_not_found: 'clientele issuer list --account ID shows the issuers that an account trusts',
  signing_key_not_found: 'clientele signing-key list --account ID shows the keys of an account',
  secret_required: 'set CLIENTELE_SECRET to the value of the server',
  secret_wrong: 'set CLIENTELE_SECRET to the value of the server',
  storage_unavailable: 'is the database that DATABASE_URL names running and reachable?',
}

/** In place of sentences for callers of the library and over HTTP */
const sentences: Partial<Record<ErrorCode, string>> = {
  validation_failed: 'The input is not valid.',
  passkeys_enrolled:
    'Passkeys are enrolled for another --rp-id and would stop working: --force changes it anyway.',
}

/**
 * Reports an error and a hint on standard error, as text or as a JSON document; returns the exit code.
 *
 * @param command the one that failed, whose options the text names
 */
export function reportError(error: unknown, asJson: boolean, command?: Command): number {
  if (!asJson) return reportText(error, command)
  const isOurs = error instanceof ClienteleError
  const code = isOurs ? error.code : error instanceof UsageError ? 'usage' : 'failed'
  const message = isOurs ? describe(error) : error instanceof Error ? error.message : String(error)
  const hint = isOurs ? findHint(error) : undefined
  const issues = isOurs && error.issues.length > 0 ? { issues: error.issues } : {}
  console.error(JSON.stringify({ error: { code, message, ...issues, hint } }, undefined, 2))
  return exitCodeOf(error)
}

function exitCodeOf(error: unknown): number {
  if (error instanceof Interrupted) return error.exitCode
  const isWrongUse =
    error instanceof UsageError ||
    (error instanceof ClienteleError && error.code === 'validation_failed')
  return isWrongUse ? 2 : 1
}

function reportText(error: unknown, command: Command | undefined): number {
  if (error instanceof Interrupted) {
    console.error(error.message)
    return exitCodeOf(error)
  }
  if (!(error instanceof ClienteleError)) {
    console.error(`${red('error:')} ${error instanceof Error ? error.message : String(error)}`)
    return exitCodeOf(error)
  }
  console.error(`${red(`error ${error.code}:`)} ${describe(error)}`)
  for (const { pointer, message } of error.issues) {
    const name = pointer === '' ? 'the id' : namePointer(pointer, command)
    console.error(`  ${name} ${nameOptionsIn(message, command)}`)
  }
  const hint = findHint(error)
  if (hint !== undefined) console.error(`${paint('cyan', 'hint:', process.stderr)} ${hint}`)
  return exitCodeOf(error)
}

function red(text: string): string {
  return paint(['bold', 'red'], text, process.stderr)
}

function findHint({ code, message }: ClienteleError): string | undefined {
  if (message.startsWith('DATABASE_URL')) return urlHint
  return message.startsWith('There is no SQLite file') ? fileHint : hints[code]
}

/** Without the issues, which are reported one by one */
function describe(error: ClienteleError): string {
  return sentences[error.code] ?? describeFault(error)
}
