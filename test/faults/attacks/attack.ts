import type { Ways } from './ways.ts'

/** What an attack needs to know of the server, and of the account whose key it has, or whose users send it. */
export interface Target {
  /** Where the server's routes are: `http://127.0.0.1:3000/api/v1` */
  base: string
  accountId: string
  key: string
  /** A key of that account for SCIM alone */
  scimKey: string
  /** A user of that account, and its access token */
  userId: string
  token: string
  /** How many users have hashes that are dear: `dear1@example.com` and so on */
  dearUsers: number
}

export interface Attack {
  /** What there is much of */
  name: string
  /**
   * An unauthenticated caller reaches the port and has no key. A key's holder has the API key of another account. A
   * user reaches the
   * server through the backend of another account, which passes on what it is given under its key.
   */
  from: 'stranger' | "key's holder" | 'user'
  /** What is sent, and over how many connections */
  what: string
  /** Whether the other account opens a connection for each of its requests, in place of keeping one. @default false */
  meetsNewConnections?: boolean
  /** Sends it until it is told to end. */
  run(ways: Ways, target: Target): Promise<unknown>
}

/** What one caller can cost another account, at most. */
export const bounds = {
  /** The 99th percentile of the other account's waits */
  waitMilliseconds: 100,
  /** What the server's process holds, from its start to the end of all attacks */
  residentMebibytes: 768,
}

/**
 * The bound on a machine that is busy with something else: three times the wait without the attack, and 50 ms. The wait is
 * compared with this only where it is above the first bound.
 */
export function toBoundWhileBusy(quietMilliseconds: number): number {
  return Math.max(bounds.waitMilliseconds, 3 * quietMilliseconds + 50)
}
