import type { Gauges } from './gauges.ts'

/** When something began, and how long it took */
export interface Timed {
  /** Milliseconds on the clock of `performance`, which nobody sets back */
  startedAt: number
  durationMs: number
}

/** A request that the routes have answered. */
export interface RequestEvent extends Timed {
  /** The one in `X-Request-Id`, in log lines and in events */
  requestId: string
  /** The operation's id in the OpenAPI document, `createUser`; undefined where no operation has this path and method */
  operation: string | undefined
  /**
   * The template of the path below the mount, `/client/user/{id}`; undefined where no operation has this path. There are as
   * many as there are paths in the OpenAPI document: it can be the label of a metric.
   */
  route: string | undefined
  /** As RFC 9110 and RFC 5789 name methods; any other is `_OTHER` */
  method: string
  status: number
  /** The code of the problem that it was answered with; undefined: there was none */
  code: string | undefined
  /** Whose API key it came with; undefined where nobody was authenticated. Too many for the label of a metric */
  accountId: string | undefined
}

/** A method of the Clientele that was called in process and has settled; `requireUser` is the method `guard`. */
export interface CallEvent extends Timed {
  /** `users.create`; in a transaction of the host's `within.users.create` */
  name: string
  /** The code of the error that it rejected with, or of the problem that a guard answered with */
  code: string | undefined
  accountId: string | undefined
}

/** A question to the database that was answered: a method of the repository, with all of its statements. */
export interface QueryEvent extends Timed {
  /** The store and its method: `users.find` */
  name: string
  /** Of what it rejected with the code, or the name of its class; undefined: it succeeded */
  error: string | undefined
}

/** A password that was hashed, or compared with a hash. */
export interface HashEvent extends Timed {
  /** How long it waited for its turn; `durationMs` comes after that */
  waitedMs: number
}

/** An attempt to deliver an event to a webhook. */
export interface DeliveryEvent {
  accountId: string
  webhookId: string
  /** What the receiver answered with; null: nothing */
  status: number | null
  /** Why there is no status: `no_answer`, or `error` where the fault is ours; null where there is one */
  reason: 'no_answer' | 'error' | null
  /** 1 is the first */
  attempt: number
  durationMs: number
  /** How old the event was when the attempt began */
  lagMs: number
}

/** Somebody who waited for events of an account was woken by one. */
export interface FeedEvent {
  accountId: string
  /** How old the event was */
  lagMs: number
}

/** What is known of a request before it is answered */
export interface RequestStart {
  /** As in the event */
  method: string
  /** By their names in lower case */
  headers: Readonly<Record<string, string | readonly string[] | undefined>>
}

/**
 * Hears what a Clientele does. Every member may be left out, and what is left out costs nothing. What a member throws is
 * logged and changes nothing.
 *
 * No event has an e-mail, a name, a token, a key or anything else that a caller typed.
 */
export interface Observer {
  request?(event: RequestEvent): void
  call?(event: CallEvent): void
  query?(event: QueryEvent): void
  hash?(event: HashEvent): void
  delivery?(event: DeliveryEvent): void
  feed?(event: FeedEvent): void
  /**
   * For tracers: runs the work of a request, once, in a context of its own; what is asked of the database meanwhile is
   * asked in it. `work` never rejects.
   */
  aroundRequest?(start: RequestStart, work: () => Promise<RequestEvent>): Promise<unknown>
  /** The same for a method that is called in process. */
  aroundCall?(name: string, work: () => Promise<CallEvent>): Promise<unknown>
  /** The Clientele is closed: nothing comes after this. */
  close?(): void
}

/** What an observer can know of the Clientele that it hears. */
export interface ObservedClientele {
  /** As OpenTelemetry names it (`db.system.name`) */
  databaseSystem: 'postgresql' | 'sqlite'
  /** The option of this name */
  publicUrl: string | undefined
  /** Measures what can only be looked at; not before `createClientele` has resolved. */
  readGauges(): Promise<Gauges>
}

/** Makes an observer of one Clientele. */
export type CreateObserver = (clientele: ObservedClientele) => Observer
