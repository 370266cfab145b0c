const encode = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

/**
 * Tokens that are made of a valid one and must not be valid, by what was done to it. It is what Wycheproof's cases do to
 * theirs: parts left out, header, payload and signature changed, and the same bytes in another spelling.
 */
export function alterJws(valid: string): Record<string, string> {
  const [header = '', payload = '', signature = ''] = valid.split('.')
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
  const withHeader = (changes: object) =>
    `${encode({ ...read(header), ...changes })}.${payload}.${signature}`
  const withPayload = (changes: object) =>
    `${header}.${encode({ ...read(payload), ...changes })}.${signature}`
  const bytes = Buffer.from(signature, 'base64url')
  const withSignature = (next: Uint8Array) =>
    `${header}.${payload}.${Buffer.from(next).toString('base64url')}`
  const flipped = (index: number): string => {
    const next = Buffer.from(bytes)
    next[index] = (next[index] ?? 0) ^ 1
    return withSignature(next)
  }
  return {
    'no header': `.${payload}.${signature}`,
    'no header and no separator': `${payload}.${signature}`,
    'no payload': `${header}..${signature}`,
    'no payload and no separator': `${header}.${signature}`,
    'no signature': `${header}.${payload}.`,
    'no signature and no separator': `${header}.${payload}`,
    'nothing but separators': '..',
    'four parts': `${valid}.${signature}`,
    'an empty fourth part': `${valid}.`,
    'parts in another order': `${payload}.${header}.${signature}`,
    'another payload': withPayload({ exp: 99_999_999_999 }),
    'a payload that is a list': `${header}.${encode([])}.${signature}`,
    'a payload that is no JSON': `${header}.${encode('{')}.${signature}`,
    'a header that is no JSON': `${encode('{')}.${payload}.${signature}`,
    'a header that is a list': `${encode([read(header)])}.${payload}.${signature}`,
    'an empty header': `${encode({})}.${payload}.${signature}`,
    'a header with one more member': withHeader({ x: 1 }),
    'a header with crit': withHeader({ crit: ['exp'], exp: 1 }),
    'a header with b64': withHeader({ crit: ['b64'], b64: false }),
    'a header with a key': withHeader({ jwk: { kty: 'oct', k: 'AAAA' } }),
    'a key id that is a path': withHeader({ kid: '../../../dev/null' }),
    'a key id that is SQL': withHeader({ kid: "x' or '1'='1" }),
    'a key id that is a number': withHeader({ kid: 1 }),
    ...Object.fromEntries(
      ['none', 'None', 'NONE', '', 1, null, 'HS256', 'HS512', 'RS256', 'PS256', 'ES512'].map(
        (alg) => [`the algorithm ${JSON.stringify(alg)}`, withHeader({ alg })],
      ),
    ),
    'the algorithm none, unsigned': withHeader({ alg: 'none' }).replace(/[^.]*$/, ''),
    ...Object.fromEntries(
      [0, bytes.length >> 1, bytes.length - 1].map((index) => [
        `byte ${index} of the signature changed`,
        flipped(index),
      ]),
    ),
    'a signature of zeros': withSignature(Buffer.alloc(bytes.length)),
    'a signature of ones': withSignature(Buffer.alloc(bytes.length, 255)),
    'a signature that is cut off': withSignature(bytes.subarray(0, -1)),
    'a signature with a zero more': withSignature(Buffer.concat([bytes, Buffer.alloc(1)])),
    'a signature with a zero before it': withSignature(Buffer.concat([Buffer.alloc(1), bytes])),
    'a signature twice': withSignature(Buffer.concat([bytes, bytes])),
    'a signature in DER': withSignature(toDer(bytes)),
    'a padded signature': `${valid}==`,
    'a blank in the signature': `${valid.slice(0, -4)} ${valid.slice(-4)}`,
    'a line break in the payload': `${header}.${payload.slice(0, 4)}\n${payload.slice(4)}.${signature}`,
    'a character that is none of base64url': `${valid.slice(0, -4)}*${valid.slice(-3)}`,
    'a character of base64': `${header}.${payload}.+/${signature.slice(2)}`,
    'unused bits that are set': `${valid.slice(0, -1)}${nextCharacter(valid.slice(-1))}`,
  }
}

/** The character of base64url behind this one: of the last character's bits the lowest are not used. */
function nextCharacter(character: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return alphabet[alphabet.indexOf(character) ^ 1] ?? ''
}

/** Two numbers as ASN.1 has them, in place of one beside the other (RFC 7518, section 3.4). */
function toDer(bytes: Buffer): Buffer {
  const half = bytes.length >> 1
  const integer = (part: Buffer) => Buffer.from([2, part.length + 1, 0, ...part])
  const body = Buffer.concat([integer(bytes.subarray(0, half)), integer(bytes.subarray(half))])
  return Buffer.from([0x30, body.length, ...body])
}
