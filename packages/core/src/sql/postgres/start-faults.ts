import { ClienteleError } from '../../base/errors.ts'
import { isConnectionFault, stateOf, unreachable } from './faults.ts'

const refused = 'The database refuses the password, or does not know the user.'
const unknown = 'There is no such database on this server: create it, or name another.'

/** By SQLSTATE or its class */
const states: Record<string, string> = {
  '28P01': refused,
  '28': "The database does not let this user in from here: see the user name, sslmode, and the server's pg_hba.conf.",
  '3D': unknown,
}

const codes: readonly [RegExp, string][] = [
  [/^ENOTFOUND$/, 'The host name of the database is not known.'],
  [
    /CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/,
    'The certificate of the database is not trusted: see sslmode and sslrootcert.',
  ],
]
const messages: readonly [RegExp, string][] = [
  [/does not support SSL/, 'sslmode asks for TLS, which the database does not support.'],
  [/^SASL: .*password must be/, 'The database asks for a password: give one.'],
  [/^SASL: /, 'The database and pg found no common way to check the password.'],
]
/** PgBouncer has one SQLSTATE for all faults, 08P01, and English messages only. */
const messagesOfPooler: readonly [RegExp, string][] = [
  [/password authentication failed|no such user/, refused],
  [/database .{1,100} does not exist|no such database/, unknown],
  [/unsupported startup parameter/, 'The pooler refuses one of the parameters, perhaps options.'],
]

/**
 * Explains faults that only a changed setting or a started database can resolve, when the database has not answered yet:
 * retrying would not help. Later the same faults are transient, because passwords change and databases are restored.
 */
export function explainStartFault(error: unknown): ClienteleError | undefined {
  if (!(error instanceof Error)) return undefined
  const sentence = findSentence(error, stateOf(error))
  if (sentence === undefined)
    return isConnectionFault(error)
      ? unreachable(error, 'is it running, and is its URL right?')
      : undefined
  return new ClienteleError('configuration_invalid', sentence, { cause: error })
}

function findSentence(error: Error, state: string | undefined): string | undefined {
  const find = (table: readonly [RegExp, string][], text: string): string | undefined =>
    table.find(([pattern]) => pattern.test(text))?.[1]
  if (state === '08P01') return find(messagesOfPooler, error.message)
  if (state !== undefined) return states[state] ?? states[state.slice(0, 2)]
  const code = 'code' in error ? String(error.code) : ''
  return find(codes, code) ?? find(messages, error.message)
}
