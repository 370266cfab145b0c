import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Encryptor } from '../../packages/core/src/base/crypto/encryptor.ts'
import { readPrivateKey } from '../../packages/core/src/capabilities/signing-keys/signing-key.ts'
import { anyDatabase, type OpenDatabase } from '../support/databases.ts'
import { SignInWorld } from '../support/sign-in-world.ts'
import { codeOf, openRepository } from './open-clientele.ts'

const secret = 'a secret of the tests, 32 characters'

// A verifier must not rely on what the holder of the key signs.
describe.each(anyDatabase)('what is signed by our own key on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new SignInWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  async function start() {
    const { clientele } = await world.start({ secrets: [secret] })
    const { accountId, signedIn } = await world.signIn(clientele)
    const repository = openRepository(database.url)
    const [key] = await repository.signingKeys.list(accountId)
    await repository.storage.close()
    if (key === undefined) throw new Error('The account has a key.')
    const privateKey = readPrivateKey(accountId, key, new Encryptor(() => [secret]))
    const claims = decodeJwt(signedIn.token)
    const header = { alg: 'ES256', ...decodeProtectedHeader(signedIn.token) }
    const validate = async (changes: Record<string, unknown>, typ = header.typ) => {
      const changed = new SignJWT({ ...claims, ...changes })
      const token = await changed
        .setProtectedHeader({ ...header, typ: String(typ) })
        .sign(privateKey)
      return clientele.auth.validateToken(accountId, token)
    }
    const check = (...given: Parameters<typeof validate>) => codeOf(validate(...given))
    return { validate, check, seconds: Math.floor(world.now / 1000) }
  }

  test('is no token with another issuer, audience or type', async () => {
    const { check } = await start()
    expect(await check({})).toBe(undefined)
    expect(await check({ iss: 'https://login.example.com' })).toBe('token_claims_invalid')
    expect(await check({ aud: '019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f' })).toBe(
      'token_claims_invalid',
    )
    expect(await check({}, 'clientele-erasure+json')).toBe('token_claims_invalid')
  })

  test('is refused by name of the claim where only the issuer is another one', async () => {
    const { validate } = await start()
    const moved = validate({ iss: 'https://login.example.com/client/account/1' })
    const detail = expect.stringMatching(/^The token's issuer \(iss\) is another one than/)
    await expect(moved).rejects.toMatchObject({ code: 'token_claims_invalid', detail })
    const missing = validate({ iss: undefined })
    await expect(missing).rejects.toMatchObject({
      detail: "One of the token's claims is missing or not accepted.",
    })
  })

  test('is a token between its times only', async () => {
    const { check, seconds } = await start()
    expect(await check({ exp: seconds - 1 })).toBe('token_expired')
    expect(await check({ nbf: seconds + 60 })).toBe('token_not_yet_valid')
    expect(await check({ iat: seconds + 60 })).toBe('token_not_yet_valid')
    expect(await check({ sid: undefined })).toBe('token_claims_invalid')
  })
})
