import { createHash } from 'node:crypto'
import { afterEach, expect, test, vi } from 'vitest'
import { SignatureTurns } from '../../packages/core/src/base/runtime/signature-turns.ts'
import {
  verifyRegistration,
  verifyUse,
} from '../../packages/core/src/capabilities/passkeys/verify-response.ts'
import { codeOf } from '../keys/open-clientele.ts'
import { site } from './software-authenticator.ts'

// The library makes a TextDecoder for each text that it parses, which is the most costly of CBOR's kinds.

afterEach(() => {
  vi.restoreAllMocks()
})

const expected = {
  settings: { ...site, requireToken: false },
  challenge: 'AQ',
  requireUserVerification: true,
}
const base64url = (bytes: Buffer) => bytes.toString('base64url')
const clientData = (type: string) =>
  base64url(
    Buffer.from(
      JSON.stringify({ type, challenge: 'AQ', origin: site.origins[0], crossOrigin: false }),
    ),
  )
const twoBytes = (value: number) => Buffer.from([value >> 8, value & 255])
/** An array of empty texts */
const texts = (count: number) =>
  Buffer.concat([Buffer.of(0x99), twoBytes(count), Buffer.alloc(count, 0x60)])
const rpIdHash = createHash('sha256').update(site.rpId).digest()

function dataOf(flags: number, rest: Buffer): Buffer {
  return Buffer.concat([rpIdHash, Buffer.of(flags, 0, 0, 0, 1), rest])
}

/** Behind the AAGUID and an id of one byte */
const withKey = (flags: number, key: Buffer) =>
  dataOf(flags | 0x40, Buffer.concat([Buffer.alloc(16), Buffer.of(0, 1, 1), key]))

function attest(authData: Buffer): Buffer {
  const start = Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746159', 'hex')
  return Buffer.concat([start, twoBytes(authData.length), authData])
}

/**
 * A key of floats, which the library encodes anew as integers of a byte: it takes the key's end for earlier, and reads the
 * extensions from within the string at its end.
 */
function hidden(): Buffer {
  const count = 80
  const inner = texts(8 * count - 3)
  return Buffer.concat([
    Buffer.of(0x98, count + 1),
    Buffer.from('fb0000000000000000'.repeat(count), 'hex'),
    Buffer.of(0x59),
    twoBytes(inner.length),
    inner,
  ])
}

async function countTexts(verify: () => Promise<unknown>): Promise<number> {
  const decode = vi.spyOn(TextDecoder.prototype, 'decode')
  expect(await codeOf(verify())).toBe('passkey_invalid')
  return decode.mock.calls.length
}

const credential = { id: 'AQ', rawId: 'AQ', type: 'public-key' as const }

test.each([
  ['an attestation', texts(12_000)],
  ['the key', attest(withKey(0x05, texts(1_900)))],
  [
    'the extensions',
    attest(withKey(0x85, Buffer.concat([Buffer.from('a10102', 'hex'), texts(1_900)]))),
  ],
  ['a string in the key', attest(withKey(0x85, hidden()))],
])('texts in %s are not parsed by the thousand', async (_, attestation) => {
  const response = {
    ...credential,
    response: {
      clientDataJSON: clientData('webauthn.create'),
      attestationObject: base64url(attestation),
    },
  }
  expect(await countTexts(() => verifyRegistration(response, expected))).toBeLessThan(300)
})

test.each([
  ['the extensions', dataOf(0x85, texts(1_400))],
  ['a key', withKey(0x05, texts(1_400))],
  ['a string in a key', withKey(0x85, hidden())],
])('texts in %s of a use are not parsed by the thousand', async (_, authData) => {
  const passkey = {
    ...{ id: 'x', userId: 'x', credentialId: 'AQ', publicKey: 'oQEC', counter: 0, name: 'x' },
    ...{ rpId: site.rpId, use: 'first_factor' as const, transports: [], isSynced: true },
    ...{ backedUp: false, createdAt: 0, lastUsedAt: null },
  }
  const response = {
    ...credential,
    response: {
      clientDataJSON: clientData('webauthn.get'),
      authenticatorData: base64url(authData),
      signature: 'AQ',
    },
  }
  const services = { signatures: new SignatureTurns() }
  const verify = () => verifyUse(services, { accountId: 'x' }, response, passkey, expected)
  expect(await countTexts(verify)).toBeLessThan(300)
})

/** An RSA key in COSE (RFC 8230): kty 3, alg -257, n and e */
function rsaKey(modulusBytes: number, exponent: Buffer): Buffer {
  const modulus = Buffer.alloc(modulusBytes, 0xff)
  const bytes = (value: Buffer) => {
    const [first, second = 0] = twoBytes(value.length)
    const short = value.length < 24 ? [0x40 + second] : [0x58, second]
    return Buffer.concat([Buffer.from(first ? [0x59, first, second] : short), value])
  }
  const head = Buffer.from('a401030339010020', 'hex')
  return Buffer.concat([head, bytes(modulus), Buffer.of(0x21), bytes(exponent)])
}

test.each([
  ['with the usual exponent', 256, Buffer.of(1, 0, 1), undefined],
  ['of 4,096 bits', 512, Buffer.of(1, 0, 1), undefined],
  ['with an exponent of 64 bits', 384, Buffer.alloc(8, 0xff), undefined],
  ['with an exponent as long as the modulus', 384, Buffer.alloc(384, 0xff), 'passkey_invalid'],
  ['with the exponent 1', 256, Buffer.of(1), 'passkey_invalid'],
  ['of 1,024 bits', 128, Buffer.of(1, 0, 1), 'passkey_invalid'],
])('an RSA key %s', async (_, modulusBytes, exponent, code) => {
  const attestation = attest(withKey(0x05, rsaKey(modulusBytes, exponent)))
  const response = {
    ...credential,
    response: {
      clientDataJSON: clientData('webauthn.create'),
      attestationObject: base64url(attestation),
    },
  }
  expect(await codeOf(verifyRegistration(response, expected))).toBe(code)
})
