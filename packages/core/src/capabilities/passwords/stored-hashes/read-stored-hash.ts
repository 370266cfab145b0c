import { argon2Format } from './argon2-format.ts'
import { aspnetFormat } from './aspnet-format.ts'
import { bcryptFormat } from './bcrypt-format.ts'
import { betterAuthFormat } from './better-auth-format.ts'
import { djangoFormat } from './django-format.ts'
import { firebaseFormat } from './firebase-format.ts'
import { findExcess, type HashLimits, hashLimitCeiling } from './hash-cost.ts'
import { type HashFormat, type StoredHash, UnreadableHash, unreadable } from './hash-format.ts'
import { keycloakFormat } from './keycloak-format.ts'
import { meteorFormat } from './meteor-format.ts'
import { pbkdf2Format } from './pbkdf2-format.ts'
import { scryptFormat } from './scrypt-format.ts'
import { springFormat } from './spring-format.ts'
import { werkzeugFormat } from './werkzeug-format.ts'
import { wordpressFormat } from './wordpress-format.ts'

/** Every supported format: our own, and those of imported users. */
const formats: readonly HashFormat[] = [
  argon2Format,
  bcryptFormat,
  scryptFormat,
  pbkdf2Format,
  djangoFormat,
  firebaseFormat,
  werkzeugFormat,
  wordpressFormat,
  betterAuthFormat,
  springFormat,
  keycloakFormat,
  aspnetFormat,
  meteorFormat,
]
const maxLength = 1024

/** @throws UnreadableHash when the format is unknown, or the costs are too high */
export function readStoredHash(stored: string): StoredHash {
  if (stored.length > maxLength) unreadable('it is too long')
  const format = formats.find(({ looksLike }) => looksLike.test(stored))
  if (format === undefined) unreadable('its form is not known')
  return format.read(stored)
}

/**
 * Why a password hash cannot be imported, without repeating it; undefined when it can.
 *
 * @param options what the reader of the message sets to raise a limit
 */
export function findHashProblem(
  stored: string,
  limits: HashLimits,
  options: Record<keyof HashLimits, string>,
): string | undefined {
  try {
    const excess = findExcess(readStoredHash(stored).cost, limits)
    if (excess === undefined) return undefined
    const { limit, needed, message } = excess
    return needed > hashLimitCeiling[limit]
      ? `${message}, ${hashLimitCeiling[limit]} at most`
      : `${message} (${options[limit]} allows more)`
  } catch (error) {
    if (error instanceof UnreadableHash) return error.message
    throw error
  }
}
