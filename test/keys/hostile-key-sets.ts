import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { exportJWK, generateKeyPair } from 'jose'
import { ecJwk } from '../support/issuer-world.ts'

const rsa = await generateKeyPair('RS256', { extractable: true })
const rsaJwk = { ...(await exportJWK(rsa.publicKey)), kid: 'rsa-1' }
const base64url = (bytes: number, last: number) =>
  Buffer.concat([Buffer.alloc(bytes - 1, 0xff), Buffer.of(last)]).toString('base64url')

/** Writes for as long as the client reads. */
function pour(response: ServerResponse, chunk: string, pauseMs = 0): void {
  const timer = setInterval(() => {
    if (response.writableLength < 1_000_000) response.write(chunk)
  }, pauseMs)
  response.on('close', () => clearInterval(timer))
}

export const inPieces = (text: string, size: number) => {
  const pieces = text.match(new RegExp(`.{1,${size}}`, 'gs')) ?? []
  const chunks = pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`)
  return `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n${chunks.join('')}0\r\n\r\n`
}
export const hints = (count: number) => 'HTTP/1.1 103 Early Hints\r\nx: y\r\n\r\n'.repeat(count)

export const keySet = (...keys: object[]) => JSON.stringify({ keys })
// Made once and before the request: its 3 seconds pass on the same event loop.
const long = keySet(ecJwk, { kty: 'x', pad: 'x'.repeat(10_000_000) })
const packed = gzipSync(keySet(ecJwk, { pad: 'x'.repeat(50_000_000) }))
/** Each answer of an issuer in place of its key set, and why it is refused */
export const hostileSets: [string, (response: ServerResponse) => void, string][] = [
  ['of 10 MB', (response) => response.end(long), 'longer than 262144 bytes'],
  ['without end', (response) => pour(response, ' '.repeat(10_000)), 'longer than 262144 bytes'],
  ['that drips', (response) => pour(response, ' ', 50), 'it takes too long'],
  [
    'in one-byte pieces',
    (response) => response.socket?.end(inPieces(keySet(ecJwk).padStart(100_000), 1)),
    'comes in too many pieces',
  ],
  [
    'behind many informational responses',
    (response) => response.socket?.end(hints(6) + inPieces(keySet(ecJwk), 10)),
    'too many informational responses',
  ],
  [
    'that never comes, behind continuations without end',
    (response) => {
      const { socket } = response
      const timer = setInterval(() => {
        if ((socket?.writableLength ?? 0) < 1_000_000)
          socket?.write('HTTP/1.1 100 Continue\r\n\r\n'.repeat(1_000))
      })
      response.on('close', () => clearInterval(timer))
    },
    'too many informational responses',
  ],
  ['that never comes', () => {}, 'it takes too long'],
  [
    'that is somewhere else',
    (response) => response.writeHead(307, { location: '/moved' }).end(),
    '307',
  ],
  [
    'behind an upgrade',
    (response) =>
      response.socket?.end(
        'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n',
      ),
    'ends without an answer',
  ],
  [
    'that is packed',
    (response) => response.setHeader('content-encoding', 'gzip').end(packed),
    'compressed',
  ],
  [
    'nested 100,000 deep',
    (response) => response.end(`${'['.repeat(100_000)}${']'.repeat(100_000)}`),
    'not a key set',
  ],
  [
    'with keys nested 100,000 deep',
    (response) => {
      const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
      response.end(`{"keys":[{"kty":"EC","crv":${deep}},{"kty":${deep}}]}`)
    },
    'no key that verifies',
  ],
  [
    'of 80,000 keys that are none',
    (response) => response.end(`{"keys":[${'{},'.repeat(80_000)}{}]}`),
    'no key that verifies',
  ],
  [
    'of symmetric keys and of none',
    (response) =>
      response.end(
        keySet(
          { kty: 'oct', k: 'AAAA', kid: 'ec-1' },
          { kty: 'oct', k: 'AAAA', alg: 'HS256', kid: 'ec-1' },
          { ...ecJwk, alg: 'none' },
          { ...ecJwk, alg: 'HS256' },
          { ...ecJwk, use: 'enc' },
          { ...ecJwk, d: 'AAAA' },
          { ...ecJwk, crv: ['P-256'] },
          { ...ecJwk, crv: { toString: 1 } },
        ),
      ),
    'no key that verifies',
  ],
  [
    'of RSA keys that cost too much, or nothing',
    (response) =>
      response.end(
        keySet(
          { ...rsaJwk, e: base64url(1_024, 0xff) },
          { ...rsaJwk, e: base64url(9, 0xff) },
          { ...rsaJwk, e: 'AQ' },
          { ...rsaJwk, e: 'Ag' },
          { ...rsaJwk, n: base64url(1_025, 0xff) },
          { ...rsaJwk, n: base64url(100_000, 0xff) },
          { ...rsaJwk, n: base64url(128, 0xff) },
        ),
      ),
    'no key that verifies',
  ],
  [
    'of keys whose members cost too much to look at',
    (response) =>
      response.end(
        keySet(
          { ...ecJwk, kid: '"'.repeat(257) },
          { ...ecJwk, n: '"'.repeat(2_049) },
          { ...ecJwk, x: `${ecJwk.x}${'='.repeat(2_048)}` },
        ),
      ),
    'no key that verifies',
  ],
]
