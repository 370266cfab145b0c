import type { Socket } from 'node:net'

/** A connection that sends more pieces than this in a turn of the event loop waits for its next turn in a queue. */
const mostOfOne = 100
/** After this many pieces of all connections, the others are read in the next turn. */
const mostOfAll = 2_000
/** What a new connection costs others, in pieces */
const piecesOfConnection = 20
/** How many pieces are expected of the queued connections that are read in a turn; one of them is always read. */
const mostOfQueue = 500
/** After this time, half as many pieces count against a connection. */
const halfLifeMs = 1_000

interface Reader {
  socket: Socket
  /** How many pieces it has sent in this turn; of a queued one: in its last turn */
  pieces: number
  /** How many pieces counted against it at `spentAt` */
  spent: number
  spentAt: number
  isHeld: boolean
  /** Whether more may be read once it is no longer held */
  mayRead: () => boolean
}

const readers = new WeakMap<Socket, Reader>()
const connected = new Set<Reader>()
const counted = new Set<Reader>()
const queue = new Set<Reader>()
/** Undefined until the others are held */
let heldForTurn: Reader[] | undefined
/** Were read in the last turn, and are held in this one */
let resting: Reader[] = []
let piecesOfTurn = 0
let isScheduled = false

/** Lets pieces of a connection be counted; that it has come counts, too. */
export function meetReader(socket: Socket, mayRead: () => boolean): void {
  const spent = { spent: piecesOfConnection, spentAt: performance.now() }
  const reader: Reader = { socket, pieces: 0, ...spent, isHeld: false, mayRead }
  readers.set(socket, reader)
  connected.add(reader)
  // Node resumes reading for reasons of its own.
  socket.on('resume', () => {
    if (reader.isHeld) socket.pause()
  })
  socket.on('close', () => {
    readers.delete(socket)
    for (const set of [connected, queue]) set.delete(reader)
  })
  countForAll(piecesOfConnection)
}

/**
 * Counts pieces that Node has just handed over: each costs microseconds, and Node takes 64 KiB of every connection in a
 * turn of the event loop, a thousand pieces. Connections with many pieces take turns, and those that have sent the fewest
 * lately are read first: however many connections send them, others wait for some thousand pieces, and each has its share.
 */
export function countPieces(socket: Socket, pieces: number): void {
  const reader = readers.get(socket)
  if (reader === undefined) return
  if (!counted.has(reader)) {
    const now = performance.now()
    reader.spent = countsAt(reader, now)
    reader.spentAt = now
    counted.add(reader)
  }
  reader.pieces += pieces
  reader.spent += pieces
  if (reader.pieces > mostOfOne && !queue.has(reader)) enqueue(reader)
  countForAll(pieces)
}

function countForAll(pieces: number): void {
  piecesOfTurn += pieces
  schedule()
  if (piecesOfTurn > mostOfAll && heldForTurn === undefined) holdRest()
}

function enqueue(reader: Reader): void {
  queue.add(reader)
  hold(reader)
}

function holdRest(): void {
  for (const reader of counted)
    if (reader.pieces > piecesOfConnection && !reader.socket.destroyed && !queue.has(reader))
      enqueue(reader)
  // A connection that is not being read, such as an upgraded one, is left to the host or to Node.
  heldForTurn = [...connected].filter(
    ({ isHeld, socket }) => !isHeld && socket.readableFlowing === true,
  )
  for (const reader of heldForTurn) hold(reader)
}

/** How many of the pieces that it has sent count against it. */
function countsAt({ spent, spentAt }: Reader, now: number): number {
  return spent === 0 ? 0 : spent * 2 ** ((spentAt - now) / halfLifeMs)
}

function hold(reader: Reader): void {
  reader.isHeld = true
  reader.socket.pause()
}

function release(reader: Reader): void {
  const { socket } = reader
  reader.isHeld = false
  // Where it is null, Node has upgraded the connection meanwhile, and the host reads it when it wants to.
  if (!socket.destroyed && socket.readableFlowing === false && reader.mayRead()) socket.resume()
}

function schedule(): void {
  if (isScheduled) return
  isScheduled = true
  setImmediate(endTurn)
}

function endTurn(): void {
  isScheduled = false
  const held = heldForTurn?.filter((reader) => !queue.has(reader)) ?? []
  // The system names those first that have been read and have sent more since: others would be held again before they are read.
  const ready = [...resting, ...held.filter((reader) => !counted.has(reader))]
  resting = held.filter((reader) => counted.has(reader))
  heldForTurn = undefined
  piecesOfTurn = 0
  for (const reader of counted) if (!queue.has(reader)) reader.pieces = 0
  counted.clear()
  // In this order they are read, too.
  for (const reader of leastSpentFirst(ready)) release(reader)
  let room = mostOfQueue
  for (const reader of queue) {
    if (room <= 0) break
    room -= reader.pieces
    reader.pieces = 0
    queue.delete(reader)
    release(reader)
  }
  if (queue.size > 0 || resting.length > 0) schedule()
}

function leastSpentFirst(some: Reader[]): Reader[] {
  const now = performance.now()
  return some
    .map((reader) => ({ reader, spent: countsAt(reader, now) }))
    .sort((one, other) => one.spent - other.spent)
    .map(({ reader }) => reader)
}
