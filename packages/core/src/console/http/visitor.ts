import type { ConsoleSession } from '../console-session.ts'

/** The user of the page: the holder of a session, or an operator whom the host recognises. */
export type Visitor =
  | ConsoleSession
  | { kind: 'operator'; name: string; startedAt?: never; expiresAt?: never }
