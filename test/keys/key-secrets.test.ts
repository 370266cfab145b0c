import { randomUUID } from 'node:crypto'
import type { Clientele, ClienteleOptions } from '@clientele/core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { Encryptor } from '../../packages/core/src/base/crypto/encryptor.ts'
import { purposeOf, StoredSecrets } from '../../packages/core/src/base/crypto/stored-secrets.ts'
import { repeatReencryption } from '../../packages/core/src/clientele/repeat-reencryption.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { logIn } from '../support/log-in.ts'
import { runSql } from '../support/run-sql.ts'
import { SignInWorld } from '../support/sign-in-world.ts'
import { codeOf, listAllKeys, openRepository, removeSigningKeys } from './open-clientele.ts'

const databases = eitherDatabase(import.meta.filename)

const [old, fresh] = ['the old secret of this test, long', 'the new secret of this test, long']

describe.each(databases)('the secrets of signing keys on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new SignInWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterEach(() => removeSigningKeys(database.url))
  afterAll(() => database.close())

  const start = async (options: Partial<ClienteleOptions> = {}): Promise<Clientele> =>
    (await world.start(options)).clientele

  async function addUser(clientele: Clientele) {
    const { accountId, credentials } = await world.addUser(clientele)
    return {
      accountId,
      logIn: async (at: Clientele) => (await logIn(at, accountId, credentials)).token,
      check: (at: Clientele, token: string) => codeOf(at.auth.validateToken(accountId, token)),
    }
  }

  test('a secret is changed without an outage, and the old one can be dropped', async () => {
    const before = await start({ secrets: [old] })
    const user = await addUser(before)
    const token = await user.logIn(before)
    const others = await Promise.all(Array.from({ length: 3 }, () => addUser(before)))
    for (const other of others) await other.logIn(before)
    const between = await start({ secrets: [fresh, old] })
    expect(await user.check(between, token)).toBe(undefined)
    // The process that still has only the old secret goes on with the keys that it has used.
    expect(await user.check(before, await user.logIn(between))).toBe(undefined)
    expect(await user.check(between, await user.logIn(before))).toBe(undefined)
    await between.signingKeys.rotate(user.accountId, { now: true })
    expect(await user.check(before, await user.logIn(between))).toBe(undefined)

    const after = await start({ secrets: [fresh] })
    expect(await user.check(after, token)).toBe(undefined)
    for (const other of others) expect(await codeOf(other.logIn(after))).toBe(undefined)
    expect(await codeOf(start({ secrets: [old] }))).toBe('secret_wrong')
  })

  test('what a process of the former step still writes is re-encrypted once more', async () => {
    const before = await start({ secrets: [old, fresh] })
    const { accountId, user, credentials } = await world.addUser(before)
    const repository = openRepository(database.url)
    const encryptor = new Encryptor(() => [fresh, old])
    const storedSecrets = new StoredSecrets(repository.storage, encryptor)
    await storedSecrets.reencrypt({ ofUsers: true })
    // It has started, and its predecessor has not ended.
    const { generate } = await world.enrolTotp(before, accountId, user.id)
    const warnings: string[] = []
    const logger = {
      info() {},
      error() {},
      warn: (_about: object, text: string) => void warnings.push(text),
    }
    let isFaulty = true
    const { reencrypt } = StoredSecrets.prototype
    storedSecrets.reencrypt = (options) => {
      const fault = isFaulty
      isFaulty = false
      return fault
        ? Promise.reject(new Error('No connection.'))
        : reencrypt.call(storedSecrets, options)
    }
    const stop = repeatReencryption({ storedSecrets, logger }, 5)
    const after = await start({ secrets: [fresh], lazyKeys: true })
    await expect
      .poll(async () => {
        const challenge = await world.challengeOf(after, accountId, credentials)
        const answer = { challenge, method: 'totp', code: generate() } as const
        return codeOf(after.auth.completeMfa(accountId, answer))
      })
      .toBeUndefined()
    stop()
    expect(warnings).toEqual(['Secrets could not be re-encrypted; it is tried again.'])
    await repository.storage.close()
  })

  test('a secret has sixteen characters at least, eight of them different', async () => {
    const codeWith = (secret: string) => codeOf(start({ secrets: [secret] }))
    expect(await codeWith('abcdefghijklmno')).toBe('configuration_invalid')
    expect(await codeWith('abcdefghijklmnop')).toBe(undefined)
    expect(await codeWith('passwordpassword')).toBe('configuration_invalid')
    expect(await codeWith('passwordpasswordX')).toBe(undefined)
  })

  test('all secrets are re-encrypted, even if there is more than one page', async () => {
    const clientele = await start({ secrets: [old] })
    const { id: accountId } = await clientele.accounts.create({ name: 'Acme' })
    const encryptor = new Encryptor(() => [old])
    const rows = Array.from({ length: 1_001 }, () => {
      const id = randomUUID()
      const secret = encryptor.encrypt(id, purposeOf('trusted issuer', accountId, id))
      return `('${accountId}', '${id}', '${id}', '[]', '[]', '${secret}', '0', 'sub', 'id', '0', '0', 'none', 60, '0', 1, 1)`
    })
    const repository = openRepository(database.url)
    await runSql(
      database.url,
      `insert into clientele_trusted_issuers (account_id, id, issuer, audience, algorithms, encrypted_secret,
        client_id_as_audience, user_claim, user_lookup, sign_in, link_by_email, nonce, max_lifetime_seconds,
        trust_unverified_email, created_at, updated_at)
      values ${rows.join()}`,
    )
    const next = new Encryptor(() => [fresh, old])
    await new StoredSecrets(repository.storage, next).reencrypt({ ofUsers: true })
    const options = { ofUsers: true, after: undefined }
    expect(await repository.storage.listStaleSecrets(next.prefix, options)).toEqual([])
    const stored = await repository.trustedIssuers.list(accountId)
    expect(
      stored.filter(
        ({ id, encryptedSecret }) =>
          next.decrypt(String(encryptedSecret), purposeOf('trusted issuer', accountId, id)) !== id,
      ),
    ).toEqual([])
    expect(stored).toHaveLength(1_001)
    await clientele.accounts.delete(accountId)
    await repository.storage.close()
  })

  test('a wrong secret is refused at the start, with advice', async () => {
    const secret = 'another secret of this test, long'
    const clientele = await start()
    await (await addUser(clientele)).logIn(clientele)
    const error = await start({ secrets: [secret] }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'secret_wrong' })
    expect(String(error)).toContain('CLIENTELE_SECRET=new,old')
    expect(String(error)).not.toContain(secret)
  })

  test('with lazy keys only encrypting and decrypting need a secret, and reading writes nothing', async () => {
    const before = await start({ secrets: [old], tokenTtlSeconds: 60 })
    const user = await addUser(before)
    const { accountId } = user
    const token = await user.logIn(before)
    await before.signingKeys.rotate(accountId, { now: true })
    const repository = openRepository(database.url)
    const stored = await listAllKeys(repository)

    const lazyKeys = true
    const wrong = await start({ lazyKeys, secrets: ['another secret of this test, long'] })
    expect(await wrong.signingKeys.list(accountId)).toEqual(
      await before.signingKeys.list(accountId),
    )
    const lazy = await start({ lazyKeys, secrets: [fresh, old] })
    expect(await user.check(lazy, token)).toBe(undefined)
    expect(await codeOf(wrong.signingKeys.rotate(accountId))).toBe('secret_wrong')
    expect(await codeOf(user.logIn(wrong))).toBe('secret_wrong')
    expect(await codeOf(start({ lazyKeys, secrets: [] }).then(user.logIn))).toBe('secret_required')
    // The first key is dead now.
    world.now += 3_600_000
    expect(await wrong.signingKeys.list(accountId)).toHaveLength(1)
    expect(await listAllKeys(repository)).toEqual(stored)
    await repository.storage.close()
  })
})
