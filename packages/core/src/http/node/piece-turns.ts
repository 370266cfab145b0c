import type { Socket } from 'node:net'

/** A connection that sends more pieces than this in a turn of the event loop waits for its next turn in a queue. */
const mostOfOne = 100
/** After this many pieces of all connections, the others are read in the next turn. */
const mostOfAll = 2_000
/** What a new connection costs others, in pieces */
const piecesOfConnection = 20
/** How many pieces are expected of the queued connections that are read in a turn; one of them is always read. */
const mostOfQueue = 500

interface Reader {
  socket: Socket
  /** How many pieces it has sent in this turn; of a queued one: in its last turn */
  pieces: number
  isHeld: boolean
  /** Whether more may be read once it is no longer held */
  mayRead: () => boolean
}

const readers = new WeakMap<Socket, Reader>()
/** Connections that have not used up a turn, by age */
const fresh = new Set<Reader>()
/** Connections that have, by the time of that */
const used = new Set<Reader>()
const counted = new Set<Reader>()
const queue = new Set<Reader>()
/** Undefined until the others are held */
let heldForTurn: Reader[] | undefined
let piecesOfTurn = 0
let isScheduled = false

/** Lets pieces of a connection be counted; that it has come counts, too. */
export function meetReader(socket: Socket, mayRead: () => boolean): void {
  const reader: Reader = { socket, pieces: 0, isHeld: false, mayRead }
  readers.set(socket, reader)
  fresh.add(reader)
  // Node resumes reading for reasons of its own.
  socket.on('resume', () => {
    if (reader.isHeld) socket.pause()
  })
  socket.on('close', () => {
    readers.delete(socket)
    for (const set of [fresh, used, queue]) set.delete(reader)
  })
  countPieces(socket, piecesOfConnection)
}

/**
 * Counts pieces that Node has just handed over: each costs microseconds, and Node takes 64 KiB of every connection in a
 * turn of the event loop, a thousand pieces. Connections with many pieces take turns, and those that have used up no turn
 * are read first: however many connections send them, others wait for some thousand pieces.
 */
export function countPieces(socket: Socket, pieces: number): void {
  const reader = readers.get(socket)
  if (reader === undefined) return
  counted.add(reader)
  reader.pieces += pieces
  piecesOfTurn += pieces
  schedule()
  if (reader.pieces > mostOfOne && !queue.has(reader)) enqueue(reader)
  if (piecesOfTurn > mostOfAll && heldForTurn === undefined) holdRest()
}

function enqueue(reader: Reader): void {
  fresh.delete(reader)
  used.delete(reader)
  used.add(reader)
  queue.add(reader)
  hold(reader)
}

function holdRest(): void {
  for (const reader of counted)
    if (reader.pieces > piecesOfConnection && !reader.socket.destroyed && !queue.has(reader))
      enqueue(reader)
  // A connection that is not being read, such as an upgraded one, is left to the host or to Node.
  heldForTurn = [...fresh, ...used].filter(
    ({ isHeld, socket }) => !isHeld && socket.readableFlowing === true,
  )
  for (const reader of heldForTurn) hold(reader)
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
  for (const reader of counted) if (!queue.has(reader)) reader.pieces = 0
  counted.clear()
  // In this order they are read, too.
  for (const reader of heldForTurn ?? []) if (!queue.has(reader)) release(reader)
  heldForTurn = undefined
  let room = mostOfQueue
  for (const reader of queue) {
    if (room <= 0) break
    room -= reader.pieces
    reader.pieces = 0
    queue.delete(reader)
    release(reader)
  }
  if (queue.size > 0) schedule()
}
