import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Clientele, GuardedUser, TokenValidator } from '@clientele/core'
import type { RequestUser } from '@clientele/fetch'
import type { Answer } from '../support/answers.ts'

/** At the root, below a prefix, below a prefix behind a body parser of the host's. */
export type Mounting = 'root' | 'prefix' | 'parsed'
export const mountings: readonly Mounting[] = ['root', 'prefix', 'parsed']

export interface StartedTarget {
  /** `http://127.0.0.1:…` */
  origin: string
  prefix: string
  close(): Promise<void>
}

/** What a framework answers by itself, so that the answer cannot be ours. */
export interface Deviation {
  reason: string
  cases: readonly string[]
  mountings?: readonly Mounting[]
  answer: Answer
}

/**
 * A host with the routes and three things of its own: `GET /host`, `GET /me` behind the guard, and the field `x-host`
 * on every answer.
 */
export interface Target {
  name: string
  deviations: readonly Deviation[]
  /** @param validator whom the guard of `/me` asks. @default clientele */
  start(
    clientele: Clientele,
    mounting: Mounting,
    validator?: TokenValidator,
  ): Promise<StartedTarget>
}

/** What `GET /me` answers: all that the guard has put on the request. */
export function sayWho({ clientUserId, clientUser, clientClaims }: Partial<GuardedUser>): string {
  return `${clientUserId} ${clientUser?.email} ${clientClaims?.sid}`
}

/** The same of what the guard for fetch answers. */
export function sayRequestUser(found: RequestUser<GuardedUser['clientUser']>): string {
  return sayWho({
    clientUserId: found.userId,
    clientUser: found.user,
    clientClaims: found.claims,
  })
}

export function prefixOf(mounting: Mounting): string {
  return mounting === 'root' ? '' : '/api/v1'
}

/** Starts to listen on a free port. */
export function listen(server: Server, mounting: Mounting): Promise<StartedTarget> {
  return new Promise((resolve, reject) => {
    server.on('error', reject)
    // A busy machine may let a connection rest for longer than Node's five seconds before the next request is on its way.
    server.keepAliveTimeout = 60_000
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo // it listens on a port, not on a pipe
      resolve({
        origin: `http://127.0.0.1:${port}`,
        prefix: prefixOf(mounting),
        close: () =>
          new Promise((done) => {
            server.close(() => done())
            server.closeAllConnections()
          }),
      })
    })
  })
}
