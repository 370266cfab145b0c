import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { breakOff } from './break-off.ts'

/** How often it is looked whether a client reads its response, in milliseconds. The unusual number identifies the timer. */
const checkMs = 2_001
/** Of how many checks in a row a client may read nothing: 30 seconds */
const maxSilentChecks = 15
/** How many bytes of unread responses this process may hold. */
const maxUnreadBytes = 256 * 1024 * 1024

interface Note {
  /** Empty: of a caller without an account */
  accountId: string
  bytes: number
}

interface Unread extends Note {
  drop: () => void
}

const notes = new WeakMap<ServerResponse, Note>()
/** Those that have waited longest come first. */
const unread = new Map<ServerResponse, Unread>()
const bytesOf = new Map<string, number>()
let unreadBytes = 0
/** How often it is said that connections were closed, in milliseconds */
const warningPauseMs = 60_000
let warnedAt = Number.NEGATIVE_INFINITY

/** Notes whose a response is, and what it takes until its caller has read it. */
export function noteResponse(res: ServerResponse, accountId: string, bytes: number): void {
  notes.set(res, { accountId, bytes })
}

/**
 * Watches a response that was written to its connection but not yet sent completely. A client that reads nothing for 30
 * seconds loses its connection.
 */
export function watchUnread(socket: Socket, res: ServerResponse): void {
  // Of a text, Node counts the characters.
  const bytes = socket.writableLength
  if (bytes === 0 || socket.destroyed) return
  countUnread(res, () => breakOff(socket), bytes)
  let unsent = unsentOf(socket)
  let silentChecks = 0
  // Node's own timeout of a socket takes what was read long ago for new.
  const checks = setInterval(() => {
    const before = unsent
    unsent = unsentOf(socket)
    silentChecks = unsent === before ? silentChecks + 1 : 0
    if (silentChecks === maxSilentChecks) breakOff(socket)
  }, checkMs).unref()
  res.once('close', () => clearInterval(checks))
}

/** Missing in the types of Node. A TLS handle has the one that it writes to as parent. */
interface Handle {
  writeQueueSize?: number
  _parent?: Handle
}

/** How many bytes the system has not taken yet. A TLS handle itself would say it of whole writes only. */
function unsentOf(socket: Socket): number | undefined {
  const { _handle: handle } = socket as { _handle?: Handle | null }
  return handle?._parent?.writeQueueSize ?? handle?.writeQueueSize
}

/**
 * Counts a response until it is closed. If all unread responses take too much memory, those are dropped that have waited
 * longest of the account that holds most. Callers without an account count as one.
 *
 * @param drop ends its connection
 * @param atLeast what it takes, where more was not noted
 */
export function countUnread(res: ServerResponse, drop: () => void, atLeast = 0): void {
  const { accountId = '', bytes: noted = 0 } = notes.get(res) ?? {}
  const bytes = Math.max(atLeast, noted)
  if (bytes === 0 || res.closed || res.destroyed) return
  if (unread.has(res)) forget(res)
  else res.once('close', () => forget(res))
  unread.set(res, { accountId, bytes, drop })
  add(accountId, bytes)
  while (unreadBytes > maxUnreadBytes) dropOne(findLargest())
}

/** A part of it was read: it has waited for less long than others. */
export function noteProgress(res: ServerResponse): void {
  const each = unread.get(res)
  if (each === undefined) return
  unread.delete(res)
  unread.set(res, each)
}

function forget(res: ServerResponse): void {
  const each = unread.get(res)
  if (each === undefined) return
  unread.delete(res)
  add(each.accountId, -each.bytes)
}

function add(accountId: string, bytes: number): void {
  unreadBytes += bytes
  const all = (bytesOf.get(accountId) ?? 0) + bytes
  if (all === 0) bytesOf.delete(accountId)
  else bytesOf.set(accountId, all)
}

/** The account that holds most */
function findLargest(): string {
  let largest = ''
  for (const [accountId, bytes] of bytesOf)
    if (bytes > (bytesOf.get(largest) ?? 0)) largest = accountId
  return largest
}

function dropOne(accountId: string): void {
  for (const [res, each] of unread) {
    if (each.accountId !== accountId) continue
    forget(res)
    each.drop()
    warn(accountId)
    return
  }
}

function warn(accountId: string): void {
  const now = performance.now()
  if (now - warnedAt < warningPauseMs) return
  warnedAt = now
  const whose = accountId === '' ? 'Callers without an account hold' : `Account ${accountId} holds`
  process.emitWarning(
    `More than 256 MiB of responses are unread. ${whose} most, and loses the connections that have waited longest.`,
    { code: 'CLIENTELE_UNREAD_RESPONSES' },
  )
}
