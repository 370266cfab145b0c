import { z } from 'zod'
import { argon2Format } from './argon2-format.ts'
import {
  type HashFormat,
  maxHashBytes,
  maxSaltBytes,
  minHashBytes,
  readBase64,
  type StoredHash,
  toUnpadded,
  unreadable,
} from './hash-format.ts'
import { pbkdf2Hash } from './pbkdf2-format.ts'

/** Keycloak stores JSON inside of JSON. */
const jsonText = z.string().transform(parseJson)
const secretData = z.object({ value: z.string(), salt: z.string() })
const credentialData = z.object({
  algorithm: z.string(),
  hashIterations: z.int().positive(),
  additionalParameters: z.record(z.string(), z.array(z.string())).nullish(),
})
const credential = z.object({
  type: z.literal('password').optional(),
  secretData: z.union([secretData, jsonText.pipe(secretData)]),
  credentialData: z.union([credentialData, jsonText.pipe(credentialData)]),
})
const pbkdf2Digests = new Map([
  ['pbkdf2', 'sha1'],
  ['pbkdf2-sha256', 'sha256'],
  ['pbkdf2-sha512', 'sha512'],
])
const argon2Versions = new Map([
  ['1.0', 16],
  ['1.3', 19],
])

/**
 * A password credential of a Keycloak export, in its JSON form: `{"secretData":"{…}","credentialData":"{…}"}`, with
 * PBKDF2 or Argon2.
 */
export const keycloakFormat: HashFormat = {
  looksLike: /^\{\s*"/,
  read: (stored) => {
    const { data } = credential.safeParse(parseJson(stored))
    if (data === undefined) unreadable("it is not a password credential in Keycloak's JSON")
    const { algorithm, hashIterations, additionalParameters } = data.credentialData
    const salt = readBase64(data.secretData.salt, 1, maxSaltBytes)
    const hash = readBase64(data.secretData.value, minHashBytes, maxHashBytes)
    if (algorithm === 'argon2') {
      return readArgon2(additionalParameters ?? {}, hashIterations, salt, hash)
    }
    const digest = pbkdf2Digests.get(algorithm) ?? unreadable('its algorithm is not known')
    return pbkdf2Hash(digest, String(hashIterations), salt, hash)
  },
}

function readArgon2(
  parameters: Record<string, string[]>,
  passes: number,
  ...bytes: [salt: Buffer, hash: Buffer]
): StoredHash {
  const of = (name: string): string => parameters[name]?.[0] ?? ''
  const version = argon2Versions.get(of('version')) ?? unreadable('its Argon2 version is not known')
  if (of('hashLength') !== String(bytes[1].length))
    unreadable('its length differs from the stated one')
  const texts = bytes.map(toUnpadded)
  const costs = `m=${of('memory')},t=${passes},p=${of('parallelism')}`
  return argon2Format.read(`$argon2${of('type')}$v=${version}$${costs}$${texts.join('$')}`)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON: no schema accepts it.
    return undefined
  }
}
