import { createHash } from 'node:crypto'
import { createAccountSecret } from '../../../packages/core/src/base/crypto/account-secret.ts'
import type { Target } from './attack.ts'
import type { Message } from './ways.ts'

/** Under the 64 KiB that a body may have, with its head. */
const bodyBytes = 65_000

/** Repeats the middle until the whole has this number of bytes. */
export function fillBody(head: string, unit: string, tail: string, bytes = bodyBytes): string {
  return head + unit.repeat(Math.floor((bytes - head.length - tail.length) / unit.length)) + tail
}

/** A body in chunks of a size, which Node hands over one by one */
export function inChunks(count: number, bytes: number): Pick<Message, 'headers' | 'body'> {
  const chunk = `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`
  return { headers: { 'Transfer-Encoding': 'chunked' }, body: `${chunk.repeat(count)}0\r\n\r\n` }
}

/** A user, or a sign-in, with a password that fills the body */
export const largestBody = fillBody('{"name":"Ada","email":"a@example.com","password":"', 'p', '"}')

/** Without a target it is a stranger's. */
export function get(path: string, target?: Target): Message {
  return { line: `GET ${path}`, ...(target && { headers: holdKey(target) }) }
}

/** `path` stands below `/client/user`. */
export function postAs(target: Target, path: string, body: string): Message {
  return postTo(`/client/user${path}`, target, body)
}

export function postTo(path: string, target: Target, body: string): Message {
  return { line: `POST ${path}`, headers: holdKey(target), body }
}

/** The user of this number, of those that `insertUsers` has stored */
export function erase(target: Target, number: number): Message {
  return { line: `POST /client/user/${toUserId(number)}/erase`, headers: holdKey(target) }
}

/** Changes the user of this number */
export function changeUser(target: Target, number: number, changes: object): Message {
  const body = JSON.stringify(changes)
  return { line: `PATCH /client/user/${toUserId(number)}`, headers: holdKey(target), body }
}

/** Of the user of this number */
export function exportPerson(target: Target, number: number): Message {
  return get(`/client/user/${toUserId(number)}/export`, target)
}

export function toUserId(number: number): string {
  return `019dfae2-6a4d-7000-8000-${(number * 4096 + 1).toString(16).padStart(12, '0')}`
}

/** What a backend asks most often */
export function validate(target: Target): Message {
  return postAs(
    target,
    '/auth/validation-token',
    JSON.stringify({ token: `Bearer ${target.token}` }),
  )
}

export function signInAs(target: Target, email: string, password: string): Message {
  return postAs(target, '/auth/login', JSON.stringify({ email, password }))
}

export function introspect(body: string, authorization: string): Message {
  const type = 'application/x-www-form-urlencoded'
  const headers = { Authorization: authorization, 'Content-Type': type }
  return { line: 'POST /client/user/auth/introspect', headers, body }
}

/** `line`: method, and path below `/client/console/`. */
export function fromConsole(
  line: string,
  { body, cookie }: { body: string; cookie?: string },
): Message {
  const [method, path] = line.split(' ')
  const headers = { 'Clientele-Console': '1', ...(cookie !== undefined && { Cookie: cookie }) }
  return { line: `${method} /client/console/${path}`, headers, body }
}

/** An API key in its right form that nobody has; each number gives another. */
export function createMadeUpKey(number: number): string {
  const account = `019dfae2-6a4d-7000-8000-${number.toString(16).padStart(12, '0')}`
  return createAccountSecret('cu', 'live', account)
}

/** The user's token under a signature of the right length that is none; each number gives another. */
export function createBadToken({ token }: Target, number: number): string {
  const signature = Buffer.alloc(64, 1)
  signature.writeUInt32BE(number)
  return `Bearer ${token.slice(0, token.lastIndexOf('.') + 1)}${signature.toString('base64url')}`
}

/** The token under an unknown key id; each number gives another. */
export function createUnknownToken({ token }: Target, number: number): string {
  const header = {
    alg: 'EdDSA',
    typ: 'at+jwt',
    kid: createHash('sha256').update(`${number}`).digest('base64url'),
  }
  const text = Buffer.from(JSON.stringify(header)).toString('base64url')
  return `Bearer ${text}${token.slice(token.indexOf('.'))}`
}

export function holdKey({ key }: Pick<Target, 'key'>): Record<string, string> {
  return { Authorization: `Bearer ${key}` }
}
