import type { Gauges } from './gauges.ts'

/** The start and the duration of an event */
export interface Timed {
  /** Milliseconds on the monotonic clock of `performance` */
  startedAt: number
  durationMs: number
}

/** A request that the routes have answered. */
export interface RequestEvent extends Timed {
  /** The one in `X-Request-Id`, in log lines and in events */
  requestId: string
  /**
   * The operation's id in the OpenAPI document, such as `createUser`; undefined when no operation has this path and
   * method
   */
  operation: string | undefined
  /**
   * The template of the path below the mount, such as `/client/user/{id}`; undefined when no operation has this path.
   * The OpenAPI document bounds their number, so it can label a metric.
   */
  route: string | undefined
  /** The method, if RFC 9110 or RFC 5789 defines it; otherwise `_OTHER` */
  method: string
  status: number
  /** The code of the problem in the response; undefined: no problem */
  code: string | undefined
  /** The account of the API key; undefined when none was authenticated. Too many values to label a metric */
  accountId: string | undefined
}

/** An in-process method call of the Clientele that has settled; `requireUser` is the method `guard`. */
export interface CallEvent extends Timed {
  /** `users.create`; in a transaction of the host's `within.users.create` */
  name: string
  /** The code of the error it rejected with, or of the problem that a guard answered with */
  code: string | undefined
  accountId: string | undefined
}

/** A finished call of a repository method, with all of its statements. */
export interface QueryEvent extends Timed {
  /** The store and its method: `users.find` */
  name: string
  /** The code of the error, or the name of its class; undefined: it succeeded */
  error: string | undefined
}

/** A password that was hashed, or compared with a hash. */
export interface HashEvent extends Timed {
  /** How long it waited to start; `durationMs` does not include it */
  waitedMs: number
}

/** An attempt to deliver an event to a webhook. */
export interface DeliveryEvent {
  accountId: string
  webhookId: string
  /** The status of the response; null: no response */
  status: number | null
  /** Why there is no status: `no_answer`, or `error` for a fault of ours; null when there is a status */
  reason: 'no_answer' | 'error' | null
  /** The first attempt is 1 */
  attempt: number
  durationMs: number
  /** The event's age when the attempt began */
  lagMs: number
}

/** A hook of the host's was asked. */
export interface HookEvent extends Timed {
  accountId: string
  /** `beforeCreate`, `beforeUpdate`, `beforeSignIn` or `tokenClaims` */
  hook: string
  /** `failed`: an error, no answer in time, or claims that no token may have */
  outcome: 'answered' | 'refused' | 'failed'
}

/** An event woke a caller that waited for events of an account. */
export interface FeedEvent {
  accountId: string
  /** The event's age */
  lagMs: number
}

/** The parts of a request that are known before its response */
export interface RequestStart {
  /** As in the event */
  method: string
  /** By lower-case name */
  headers: Readonly<Record<string, string | readonly string[] | undefined>>
}

/**
 * Observes what a Clientele does. Every hook is optional, and unused hooks are free. An error thrown by a hook is
 * logged and changes nothing.
 *
 * No event contains an e-mail address, a name, a token, a key or another value that a caller sent.
 */
export interface Observer {
  request?(event: RequestEvent): void
  call?(event: CallEvent): void
  query?(event: QueryEvent): void
  hash?(event: HashEvent): void
  delivery?(event: DeliveryEvent): void
  feed?(event: FeedEvent): void
  hook?(event: HookEvent): void
  /**
   * For tracers: runs the work of a request, once, in a context of its own. Its database calls happen in that context.
   * `work` never rejects.
   */
  aroundRequest?(start: RequestStart, work: () => Promise<RequestEvent>): Promise<unknown>
  /** The same for an in-process method call. */
  aroundCall?(name: string, work: () => Promise<CallEvent>): Promise<unknown>
  /** The Clientele is closed: no further event follows. */
  close?(): void
}

/** The facts that an observer gets about the Clientele that it observes. */
export interface ObservedClientele {
  /** The database's name in OpenTelemetry (`db.system.name`) */
  databaseSystem: 'postgresql' | 'sqlite'
  /** The `publicUrl` option */
  publicUrl: string | undefined
  /** Measures the current load. Not available before `createClientele` has resolved. */
  readGauges(): Promise<Gauges>
}

/** Creates an observer for one Clientele. */
export type CreateObserver = (clientele: ObservedClientele) => Observer
