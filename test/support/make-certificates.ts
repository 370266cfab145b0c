import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto'

export interface Certificates {
  /** PEM, the server's certificate first */
  cert: string
  key: string
}

/** A certificate for `localhost` that is its own issuer. */
export function makeLocalCertificate(): Certificates {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pair = { name: 'localhost', issuer: 'localhost', serial: 1 }
  return { cert: toPem(makeCertificate(pair, privateKey)), key: exportKey(privateKey) }
}

/**
 * A chain whose signatures take a hundred times the usual time to verify: the public exponent is as long as the
 * modulus, the longest one that OpenSSL takes.
 */
export function makeCostlyChain(length: number): Certificates {
  costlyKey ??= makeCostlyKey()
  const key = costlyKey
  const chain = Array.from({ length }, (_, index) =>
    makeCertificate({ name: `c${index}`, issuer: `c${index + 1}`, serial: index + 1 }, key),
  )
  return { cert: chain.map(toPem).join(''), key: exportKey(key) }
}

let costlyKey: KeyObject | undefined

/** An RSA key whose private exponent is the small one. */
function makeCostlyKey(): KeyObject {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 3072 })
  const { n = '', d = '', p = '', q = '', qi = '' } = privateKey.export({ format: 'jwk' })
  const small = 65_537n
  const key = {
    ...{ kty: 'RSA', n, p, q, qi, e: d },
    d: toText(small),
    dp: toText(small % (toNumber(p) - 1n)),
    dq: toText(small % (toNumber(q) - 1n)),
  }
  return createPrivateKey({ format: 'jwk', key })
}

/** DER: what it is, its length, its contents */
function encode(tag: number, ...contents: Buffer[]): Buffer {
  const content = Buffer.concat(contents)
  const { length } = content
  const head =
    length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...head]), content])
}

const sequence = (...contents: Buffer[]) => encode(0x30, ...contents)
const identifier = (hex: string) => encode(0x06, Buffer.from(hex, 'hex'))
const sha256WithRsa = sequence(identifier('2a864886f70d01010b'), encode(0x05))
const validity = sequence(
  encode(0x17, Buffer.from('250101000000Z')),
  encode(0x17, Buffer.from('400101000000Z')),
)
const toName = (text: string) =>
  sequence(encode(0x31, sequence(identifier('550403'), encode(0x0c, Buffer.from(text)))))

/** One that may sign others (RFC 5280, section 4.1) */
function makeCertificate(
  { name, issuer, serial }: { name: string; issuer: string; serial: number },
  key: KeyObject,
): Buffer {
  const isTrue = encode(0x01, Buffer.from([0xff]))
  const mayBeIssuer = sequence(identifier('551d13'), isTrue, encode(0x04, sequence(isTrue)))
  const names = sequence(encode(0x82, Buffer.from(name)))
  const extensions = sequence(mayBeIssuer, sequence(identifier('551d11'), encode(0x04, names)))
  const contents = sequence(
    encode(0xa0, encode(0x02, Buffer.from([2]))),
    encode(0x02, Buffer.from([serial])),
    sha256WithRsa,
    toName(issuer),
    validity,
    toName(name),
    createPublicKey(key).export({ type: 'spki', format: 'der' }),
    encode(0xa3, extensions),
  )
  const signature = encode(0x03, Buffer.from([0]), sign('sha256', contents, key))
  return sequence(contents, sha256WithRsa, signature)
}

const toPem = (der: Buffer) => {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
}
const exportKey = (key: KeyObject) => String(key.export({ type: 'pkcs8', format: 'pem' }))
const toNumber = (text: string) => BigInt(`0x${Buffer.from(text, 'base64url').toString('hex')}`)

function toText(value: bigint): string {
  const hex = value.toString(16)
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex').toString('base64url')
}
