import type { ConsoleSession } from '../console-session.ts'

/** Who is at the page: the holder of a session, or somebody whom the host knows as an operator. */
export type Visitor =
  | ConsoleSession
  | { kind: 'operator'; name: string; startedAt?: never; expiresAt?: never }
