import { ClienteleError } from '../errors.ts'
import { stateOf } from './postgres-faults.ts'

/** By SQLSTATE, or its class */
const states: Record<string, string> = {
  '28P01': 'The database refuses the password, or does not know the user.',
  '28': "The database does not let this user in from here: see the user name, sslmode, and the server's pg_hba.conf.",
  '3D': 'There is no such database on this server: create it, or name another.',
  '08P01': 'The server, or a pooler before it, refuses this connection.',
}

const codes: readonly [RegExp, string][] = [
  [/^ENOTFOUND$/, 'The host name of the database is not known.'],
  [
    /CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/,
    'The certificate of the database is not trusted: see sslmode and sslrootcert.',
  ],
]
const messages: readonly [RegExp, string][] = [
  [/does not support SSL/, 'sslmode asks for TLS, which the database does not speak.'],
  [/^SASL: .*password must be/, 'The database asks for a password: give one.'],
  [/^SASL: /, 'The database and pg found no common way to check the password.'],
]

/**
 * What only a setting can mend, where the database has not answered yet: trying again would not help. At run time the
 * same faults pass: passwords are changed, databases restored.
 */
export function explainStartFault(error: unknown): ClienteleError | undefined {
  if (!(error instanceof Error)) return undefined
  const state = stateOf(error)
  const code = 'code' in error ? String(error.code) : ''
  const sentence =
    state === undefined
      ? (codes.find(([pattern]) => pattern.test(code)) ??
          messages.find(([pattern]) => pattern.test(error.message)))?.[1]
      : (states[state] ?? states[state.slice(0, 2)])
  if (sentence === undefined) return undefined
  return new ClienteleError('configuration_invalid', sentence, { cause: error })
}
