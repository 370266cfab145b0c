import type { Socket } from 'node:net'

/** A connection that sends more pieces than this in a turn of the event loop waits for its next turn in a queue. */
const mostOfOne = 100
/** After this many pieces of all connections, the others are read in the next turn. */
const mostOfAll = 2_000
/** What a new connection costs others, in pieces */
const piecesOfConnection = 20
/** How many pieces are expected of the queued connections that are read in a turn; one of them is always read. */
const mostOfQueue = 500
/**
 * Of more held connections than this, only some are released in a turn: the system names a thousand at a time, and each turn
 * would hold and release all the others once more.
 */
const manyWaiting = 2_000
const someOfMany = 256
/** After this time, half as many pieces count against a connection. */
const halfLifeMs = 1_000
/** A connection that has sent no more pieces than this lately is not queued. */
const fewSpent = 30
/** Where connections are many, the number is lower: together they must not fill the turns. */
const fewSpentOfAll = 30_000

interface Reader {
  socket: Socket
  /** How many pieces it has sent in this turn */
  pieces: number
  /** How many it has sent when it was last read */
  lastPieces: number
  /** How many pieces counted against it at `spentAt` */
  spent: number
  spentAt: number
  isHeld: boolean
  /** Whether more may be read once it is no longer held */
  mayRead: () => boolean
}

const readers = new WeakMap<Socket, Reader>()
/** By age */
const connected = new Set<Reader>()
const counted = new Set<Reader>()
const queue = new Set<Reader>()
/** Held connections that have sent few pieces, in the order in which they are read */
const waiting = new Set<Reader>()
/** Undefined until the others are held */
let heldForTurn: Reader[] | undefined
let piecesOfTurn = 0
let isScheduled = false

/** Lets pieces of a connection be counted; that it has come counts, too. */
export function meetReader(socket: Socket, mayRead: () => boolean): void {
  const none = { pieces: 0, lastPieces: 0, spent: 0, spentAt: 0 }
  const reader: Reader = { socket, ...none, isHeld: false, mayRead }
  readers.set(socket, reader)
  connected.add(reader)
  // Node resumes reading for reasons of its own.
  socket.on('resume', () => {
    if (reader.isHeld) socket.pause()
  })
  socket.on('close', () => {
    readers.delete(socket)
    for (const set of [connected, queue, waiting]) set.delete(reader)
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
  waiting.delete(reader)
  queue.add(reader)
  hold(reader)
}

/**
 * A connection that has sent many pieces lately is queued, also if it has sent none in this turn: the system names connections
 * in the order in which data comes, and those that have been held last.
 */
function holdRest(): void {
  const now = performance.now()
  const few = Math.min(fewSpent, fewSpentOfAll / connected.size)
  heldForTurn = []
  for (const reader of connected) {
    const { isHeld, socket } = reader
    // A connection that is not being read, such as an upgraded one, is left to the host or to Node.
    if (isHeld || socket.readableFlowing !== true) continue
    if (countsAt(reader, now) > few) enqueue(reader)
    else {
      heldForTurn.push(reader)
      hold(reader)
    }
  }
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
  piecesOfTurn = 0
  for (const reader of counted) {
    reader.lastPieces = reader.pieces
    reader.pieces = 0
  }
  counted.clear()
  for (const reader of fromBothEnds(heldForTurn ?? [])) if (!queue.has(reader)) waiting.add(reader)
  heldForTurn = undefined
  // In this order they are read, too.
  let places = waiting.size > manyWaiting ? someOfMany : waiting.size
  for (const reader of waiting) {
    if (places-- === 0) break
    waiting.delete(reader)
    release(reader)
  }
  let room = mostOfQueue
  for (const reader of leastSpentFirst(queue)) {
    if (room <= 0) break
    room -= reader.lastPieces
    queue.delete(reader)
    release(reader)
  }
  if (waiting.size > 0 || queue.size > 0) schedule()
}

/**
 * The oldest and the newest by turns: what a connection will send first is not known, so thousands of a stranger's may be
 * among them, older or newer than others.
 */
function fromBothEnds(byAge: readonly Reader[]): Reader[] {
  return byAge.flatMap((_, index) => byAge.at(index % 2 === 0 ? index / 2 : -(index + 1) / 2) ?? [])
}

function leastSpentFirst(some: Iterable<Reader>): Reader[] {
  const now = performance.now()
  return Array.from(some, (reader) => ({ reader, spent: countsAt(reader, now) }))
    .sort((one, other) => one.spent - other.spent)
    .map(({ reader }) => reader)
}
