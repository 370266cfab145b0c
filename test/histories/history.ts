/** What a client asked. A member of the metadata has a counter, which its one writer raises with each change. */
export type Question =
  | { kind: 'create'; email: string }
  | { kind: 'change'; userId: string; etag?: string; member: string; count: number }
  | { kind: 'read'; userId: string }
  | { kind: 'find'; email: string }
  | { kind: 'delete'; userId: string }
  | { kind: 'log in'; userId: string; email: string }
  | { kind: 'refresh'; refreshToken: string }
  | { kind: 'log out'; refreshToken: string; token: string }
  | { kind: 'validate'; token: string }

export interface SeenUser {
  id: string
  email: string
  /** The counters, by member */
  counts: Record<string, number>
}

export interface Told {
  status: number
  etag?: string
  user?: SeenUser
  /** Of `find` */
  users?: SeenUser[]
  token?: string
  refreshToken?: string
}

export interface Operation {
  /** Also the `request_id` of its event */
  id: string
  /** Milliseconds on the one clock of the recorder */
  start: number
  end: number
  asked: Question
  /** Undefined: no answer, or one above 499. It was done, or was not, or will be done. */
  told?: Told
}

export interface SeenEvent {
  id: string
  type: string
  requestId: string
  userId: string | null
  counts?: Record<string, number>
}

/** What clients recorded while processes were killed, and what was found when everything was quiet again. */
export interface History {
  operations: Operation[]
  /** The whole feed, read at the end */
  feed: SeenEvent[]
  /** The ids that each reader got that followed the feed meanwhile, in its order */
  followed: string[][]
  /** All users, listed at the end */
  users: SeenUser[]
  /** The types of events that the webhook takes */
  webhookTypes: readonly string[]
  /** The ids of the events that the webhook's receiver accepted */
  received: string[]
}

/** A broken promise, in words for a reader. */
export type Finding = string
export type Rule = (history: History) => Finding[]

type Kind = Question['kind']
export type Asked<Name extends Kind> = Operation & { asked: Extract<Question, { kind: Name }> }
export type Succeeded<Name extends Kind> = Asked<Name> & { told: Told }

export function listAsked<Name extends Kind>(history: History, kind: Name): Asked<Name>[] {
  return history.operations.filter((each): each is Asked<Name> => each.asked.kind === kind)
}

export function listSucceeded<Name extends Kind>(history: History, kind: Name): Succeeded<Name>[] {
  return listAsked(history, kind).filter((each): each is Succeeded<Name> => hasSucceeded(each))
}

export function hasSucceeded({ told }: Operation): boolean {
  return told !== undefined && told.status < 300
}

/** Whether the first was over before the second began. */
export function isBefore(first: Operation, second: Operation): boolean {
  return first.end < second.start
}
