import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { readBcrypt } from './bcrypt-format.ts'
import { costOfPhpass } from './hash-cost.ts'
import { type HashFormat, type StoredHash, unreadable, type VerifyPassword } from './hash-format.ts'

/**
 * phpass writes the cost as one of its own 64 digits. WordPress uses B (2^13 rounds of MD5); 2^16 take about half a
 * second.
 */
const digits = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const minLogRounds = 7
const maxLogRounds = 16
/** Some milliseconds of MD5, which runs on the event loop's thread: after each part, other work runs. */
const roundsAtOnce = 256

/**
 * WordPress: `$wp$2y$10$…` since 6.8 (bcrypt of the password's HMAC with SHA-384), `$P$B…` before (phpass: MD5 in many
 * rounds).
 */
export const wordpressFormat: HashFormat = {
  looksLike: /^\$(?:wp|P)\$/,
  read: (stored) =>
    forWordPress(
      stored.startsWith('$P$') ? readPhpass(stored) : readBcrypt(stored.slice(3), digest),
    ),
}

/**
 * WordPress trims passwords. In passwords from its forms it puts a backslash before each quote, both when they are set
 * and at each sign-in. Passwords that were set in other ways have no backslashes.
 */
function forWordPress({ verify, cost }: StoredHash): StoredHash {
  return {
    cost,
    verify,
    textsOf: (password) => {
      const trimmed = trim(password)
      const escaped = trimmed.replace(/['"\\]/g, '\\$&')
      return escaped === trimmed ? [trimmed] : [escaped, trimmed]
    },
    isExact: (password) => trim(password) === password,
  }
}

const trimmed = ' \t\n\v\r\0'

/** PHP's `trim`, which keeps Unicode spaces. */
function trim(text: string): string {
  let end = text.length
  while (end > 0 && trimmed.includes(text.charAt(end - 1))) end--
  return text.slice(0, end).replace(/^[ \t\n\v\r\0]+/, '')
}

function digest(password: string): string {
  return createHmac('sha384', 'wp-sha384').update(password).digest('base64')
}

function readPhpass(stored: string): StoredHash {
  const match = /^\$P\$([./0-9A-Za-z])([./0-9A-Za-z]{8})([./0-9A-Za-z]{22})$/.exec(stored)
  const [, cost = '', salt = '', expected = ''] =
    match ?? unreadable('it is not a complete phpass hash')
  const logRounds = digits.indexOf(cost)
  if (logRounds < minLogRounds || logRounds > maxLogRounds) {
    unreadable(`its cost is not from ${minLogRounds} to ${maxLogRounds}`)
  }
  const verify: VerifyPassword = async (password) => {
    const text = Buffer.from(password)
    let state = hash('md5', Buffer.concat([Buffer.from(salt), text]), 'buffer')
    const input = Buffer.concat([state, text])
    for (let round = 1; round <= 2 ** logRounds; round++) {
      state.copy(input)
      state = hash('md5', input, 'buffer')
      if (round % roundsAtOnce === 0) await yieldToOthers()
    }
    return timingSafeEqual(Buffer.from(encode(state)), Buffer.from(expected))
  }
  return { verify, cost: costOfPhpass(2 ** logRounds) }
}

/** phpass's base64: three bytes at a time, lowest six bits first. */
function encode(bytes: Buffer): string {
  let text = ''
  for (let start = 0; start < bytes.length; start += 3) {
    const group = bytes.subarray(start, start + 3)
    const value = group.readUIntLE(0, group.length)
    for (let digit = 0; digit <= group.length; digit++) {
      text += digits.charAt((value >> (6 * digit)) & 63)
    }
  }
  return text
}
