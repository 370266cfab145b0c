import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/**
 * A token that each use replaces: the refresh token of a session, or the token of a device. It names its owner, the session
 * or device, and its number within it. So an owner stores only the hash of its latest token, and still recognises every
 * earlier one.
 */
export interface RotatingToken {
  ownerId: string
  /** 0 for the first token of its owner */
  position: number
  /** Known to the holder only: the next token cannot be made without it */
  secret: Buffer
  /**
   * A message authentication code: proves that the token was issued for the owner, and not made up by an attacker who
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

/** Makes the first token of an owner from its seed. */
export function createRotatingToken(ownerId: string, seed: string): string {
  return write(ownerId, 0, randomBytes(secretBytes), seed)
}

/**
 * Makes the successor of a token. It needs the token, which only its holder has, and its owner's seed, which only the
 * database has: the same successor can be issued twice without being stored.
 */
export function deriveSuccessor(token: RotatingToken, seed: string): string {
  const secret = createHmac('sha256', seed).update('successor').update(token.secret).digest()
  return write(token.ownerId, token.position + 1, secret, seed)
}

/** Parses a token without verifying it; undefined when it is malformed. */
export function readRotatingToken(text: string): RotatingToken | undefined {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.length !== macAt + macBytes || bytes.toString('base64url') !== text) return undefined
  const position = bytes.readUInt32BE(idBytes)
  if (position === endOfPositions) return undefined
  const hex = bytes.toString('hex', 0, idBytes)
  return {
    ownerId: hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
    position,
    secret: bytes.subarray(idBytes + positionBytes, macAt),
    mac: bytes.subarray(macAt),
  }
}

/** Whether a token of this number was issued under this seed. It does not prove who holds it. */
export function isMacValid({ ownerId, position, mac }: RotatingToken, seed: string): boolean {
  return timingSafeEqual(mac, macOf(headOf(ownerId, position), seed))
}

function write(ownerId: string, position: number, secret: Buffer, seed: string): string {
  const head = headOf(ownerId, position)
  return Buffer.concat([head, secret, macOf(head, seed)]).toString('base64url')
}

function headOf(ownerId: string, position: number): Buffer {
  const head = Buffer.alloc(idBytes + positionBytes)
  head.write(ownerId.replaceAll('-', ''), 'hex')
  head.writeUInt32BE(position, idBytes)
  return head
}

function macOf(head: Buffer, seed: string): Buffer {
  return createHmac('sha256', seed).update('mac').update(head).digest().subarray(0, macBytes)
}
