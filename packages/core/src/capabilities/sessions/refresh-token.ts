import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/**
 * A refresh token names its session and its number within the session. So a session stores only the hash of its latest
 * token, and still recognises every earlier one.
 */
export interface RefreshToken {
  sessionId: string
  /** 0 for the first token of its session */
  position: number
  /** Known to the holder only: the next token cannot be made without it */
  secret: Buffer
  /**
   * A message authentication code: proves that the token was issued for the session, and not made up by an attacker who
   * knows its id
   */
  mac: Buffer
}

const idBytes = 16
const positionBytes = 4
const secretBytes = 32
const macBytes = 16
/** No session gets there. A token of this number would have no successor. */
const endOfPositions = 2 ** 32 - 1
const macAt = idBytes + positionBytes + secretBytes

/** Makes the first token of a session from the session's seed. */
export function createRefreshToken(sessionId: string, seed: string): string {
  return write(sessionId, 0, randomBytes(secretBytes), seed)
}

/**
 * Makes the successor of a token. It needs the token, which only its holder has, and the session's seed, which only the
 * database has: the same successor can be issued twice without being stored.
 */
export function deriveSuccessor(token: RefreshToken, seed: string): string {
  const secret = createHmac('sha256', seed).update('successor').update(token.secret).digest()
  return write(token.sessionId, token.position + 1, secret, seed)
}

/** Parses a token without verifying it; undefined when it is malformed. */
export function readRefreshToken(text: string): RefreshToken | undefined {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.length !== macAt + macBytes || bytes.toString('base64url') !== text) return undefined
  const position = bytes.readUInt32BE(idBytes)
  if (position === endOfPositions) return undefined
  const hex = bytes.toString('hex', 0, idBytes)
  return {
    sessionId: hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
    position,
    secret: bytes.subarray(idBytes + positionBytes, macAt),
    mac: bytes.subarray(macAt),
  }
}

/** Whether a token of this number was issued under this seed. It does not prove who holds it. */
export function isMacValid({ sessionId, position, mac }: RefreshToken, seed: string): boolean {
  return timingSafeEqual(mac, macOf(headOf(sessionId, position), seed))
}

function write(sessionId: string, position: number, secret: Buffer, seed: string): string {
  const head = headOf(sessionId, position)
  return Buffer.concat([head, secret, macOf(head, seed)]).toString('base64url')
}

function headOf(sessionId: string, position: number): Buffer {
  const head = Buffer.alloc(idBytes + positionBytes)
  head.write(sessionId.replaceAll('-', ''), 'hex')
  head.writeUInt32BE(position, idBytes)
  return head
}

function macOf(head: Buffer, seed: string): Buffer {
  return createHmac('sha256', seed).update('mac').update(head).digest().subarray(0, macBytes)
}
