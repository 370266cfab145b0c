import { calculateJwkThumbprint, compactVerify } from 'jose'
import { expect, test } from 'vitest'
import { anyDatabase } from '../support/databases.ts'
import { codeOf, openClientele, readKeySet } from './open-clientele.ts'

/** RFC 7515, appendix A.3: ES256 over claims of the issuer `joe` that expire at 1300819380. */
const es256 = {
  key: {
    kty: 'EC',
    crv: 'P-256',
    x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
    y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
  },
  signed:
    'eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ',
  signature:
    'DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q',
}

test.each(anyDatabase)(
  'the ES256 signature of RFC 7515 verifies on $name, and no other',
  async ({ open }) => {
    const database = await open()
    let now = 1_300_819_370_000
    const clientele = await openClientele(database.url, { clock: () => now })
    const { id } = await clientele.accounts.create({ name: 'Acme' })
    await clientele.trustedIssuers.create(id, {
      issuer: 'joe',
      audience: 'acme',
      algorithms: ['ES256'],
      publicKeys: [es256.key],
    })
    const validate = (signature: string) =>
      codeOf(clientele.auth.validateToken(id, `${es256.signed}.${signature}`))
    // It has no audience and no subject: that is said only once the signature has been found right.
    expect(await validate(es256.signature)).toBe('token_claims_invalid')
    expect(await validate(es256.signature.replace('D', 'E'))).toBe('token_signature_invalid')
    now = 1_300_819_400_000
    expect(await validate(es256.signature)).toMatch(/^token_(expired|claims_invalid)$/)
    await clientele.close()
    await database.close()
  },
)

test('key ids are thumbprints (RFC 7638, RFC 8037, appendix A.3)', async () => {
  const x = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'
  const example = { kty: 'OKP', crv: 'Ed25519', x }
  expect(await calculateJwkThumbprint(example)).toBe('kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k')
  const clientele = await openClientele('sqlite::memory:')
  const { id } = await clientele.accounts.create({ name: 'Acme' })
  await clientele.signingKeys.rotate(id)
  const [key] = (await readKeySet(clientele, id)).keys
  expect(key?.kid).toBe(await calculateJwkThumbprint(key ?? example))
  await clientele.close()
})

/** RFC 7520, sections 3.5 and 4.4: HS256 over a text, not over claims. */
const hs256 = {
  key: 'hJtXIZ2uSN5kbQfbtTNWbpdmhkV8FJG-Onbc6mxCcYg',
  header: 'eyJhbGciOiJIUzI1NiIsImtpZCI6IjAxOGMwYWU1LTRkOWItNDcxYi1iZmQ2LWVlZjMxNGJjNzAzNyJ9',
  payload:
    'SXTigJlzIGEgZGFuZ2Vyb3VzIGJ1c2luZXNzLCBGcm9kbywgZ29pbmcgb3V0IHlvdXIgZG9vci4gWW91IHN0ZXAgb250byB0aGUgcm9hZCwgYW5kIGlmIHlvdSBkb24ndCBrZWVwIHlvdXIgZmVldCwgdGhlcmXigJlzIG5vIGtub3dpbmcgd2hlcmUgeW91IG1pZ2h0IGJlIHN3ZXB0IG9mZiB0by4',
  signature: 's0h6KThzkfBBBkLspW1h84VsJZFTsPPqMDA7g1Md7p0',
}

test('a JWS that carries no claims (RFC 7520) is no token (RFC 7519, 7.2)', async () => {
  const jws = `${hs256.header}.${hs256.payload}.${hs256.signature}`
  const { payload } = await compactVerify(jws, Buffer.from(hs256.key, 'base64url'))
  expect(Buffer.from(payload).toString()).toContain('dangerous business')
  const clientele = await openClientele('sqlite::memory:')
  const { id } = await clientele.accounts.create({ name: 'Acme' })
  expect(await codeOf(clientele.auth.validateToken(id, jws))).toBe('token_malformed')
  await clientele.close()
})
