import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { type Clientele, createClientele } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newKey } from '../repository/world.ts'
import { eitherDatabase } from '../support/databases.ts'
import { imitateCitus } from '../support/imitate-citus.ts'
import { readTableReferences } from '../support/read-statement.ts'
import { openRecordedClientele, type RecordedClientele } from '../support/recorded-clientele.ts'
import { runSql } from '../support/run-sql.ts'
import { someEvent } from '../support/some-event.ts'
import { openRecorded, type RecordedRepository } from '../support/statement-recorder.ts'
import { cheapHashing, LogRecorder, send } from './open-clientele.ts'

const databases = eitherDatabase(import.meta.filename)

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

function toBase62(value: bigint, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest /= 62n)
    text = alphabet.charAt(Number(rest % 62n)) + text
  return text
}

function toText(accountId: string): string {
  return toBase62(BigInt(`0x${accountId.replaceAll('-', '')}`), 22)
}

/** With the checksum that makes it a key */
function finish(body: string): string {
  return body + toBase62(BigInt(crc32(body)), 6)
}

const hashOf = (secret: string) => createHash('sha256').update(secret).digest('base64url')

describe.each(databases)('the text of an API key on $name', ({ name, open }) => {
  let world: RecordedClientele
  let recorded: RecordedRepository
  let clientele: Clientele
  let accountId: string
  let otherId: string

  beforeAll(async () => {
    world = await openRecordedClientele(open)
    ;({ clientele, recorded } = world)
    accountId = (await clientele.accounts.create({ name: 'Acme' })).id
    otherId = (await clientele.accounts.create({ name: 'Other' })).id
  })
  afterAll(() => world.close())

  const ask = (key: string, url = '/client/user') => send(clientele, 'GET', url, { key })

  async function createOld(): Promise<string> {
    const secret = finish(`cu_live_${'x'.repeat(43)}`)
    const key = newKey({ hash: hashOf(secret) })
    await recorded.repository.apiKeys.create(accountId, key, someEvent(accountId))
    return secret
  }

  test('has the account, 256 random bits and a checksum', async () => {
    const { id, apiKey } = await clientele.apiKeys.create(accountId)
    const { apiKey: next } = await clientele.apiKeys.rotate(accountId, id)
    const first = await clientele.accounts.create({ name: 'Third' })
    const made = (await clientele.apiKeys.create(first.id)).apiKey
    for (const [key, owner] of [
      [apiKey, accountId],
      [next, accountId],
      [made, first.id],
    ] as const) {
      expect(key).toMatch(/^cu_live_[0-9A-Za-z]{71}$/)
      expect(key.slice(8, 30)).toBe(toText(owner))
      // Fewer bits would leave zeros at the beginning.
      expect(key.slice(30, 73)).not.toMatch(/^0{6}/)
      expect(key).toBe(finish(key.slice(0, -6)))
      expect((await ask(key)).status).toBe(200)
    }
    const listed = (await clientele.apiKeys.list(accountId)).find((key) => key.id === id)
    expect(listed?.prefix).toBe(`${apiKey.slice(0, 36)}…`)
  })

  test('may be an older one, without the account', async () => {
    const old = await createOld()
    expect((await ask(old)).status).toBe(200)
    expect((await clientele.apiKeys.authenticate(old)).accountId).toBe(accountId)
  })

  test('costs one statement', async () => {
    const { apiKey } = await clientele.apiKeys.create(accountId)
    await ask(apiKey)
    await expect
      .poll(async () => (await clientele.apiKeys.list(accountId)).at(-1)?.lastUsedAt)
      .not.toBeNull()
    recorded.take()
    await clientele.apiKeys.authenticate(apiKey)
    const statements = recorded.take()
    expect(statements).toHaveLength(1)
  })

  test.runIf(name === 'postgres')(
    'is asked for in one place of a distributed database',
    async () => {
      const distributed = await open()
      await imitateCitus(distributed.url)
      const { repository, take, close } = openRecorded(distributed.url)
      await repository.storage.migrate({ distribute: true })
      // Otherwise the function asks: `repository/read-function` tests that.
      await runSql(distributed.url, 'drop function clientele_read(uuid, text, text, text, text)')
      await repository.storage.migrate()
      const options = { passwords: { hashing: cheapHashing }, logger: new LogRecorder() }
      const secrets = ['a secret of the tests, 32 characters']
      const embedding = await createClientele({ repository, secrets, ...options })
      const { id } = await embedding.accounts.create({ name: 'Acme' })
      const { apiKey } = await embedding.apiKeys.create(id)
      const validate = () =>
        send(embedding, 'POST', '/client/user/auth/validation-token', {
          key: apiKey,
          body: { token: 'Bearer x' },
        })
      await validate()
      await embedding.apiKeys.authenticate(apiKey)
      await expect
        .poll(async () => (await embedding.apiKeys.list(id))[0]?.lastUsedAt)
        .not.toBeNull()
      take()
      for (const ask of [validate, () => embedding.apiKeys.authenticate(apiKey)]) {
        await ask()
        const statements = take()
        expect(statements).toHaveLength(1)
        const references = readTableReferences(statements[0]?.sql ?? '')
        expect(references.length).toBeGreaterThan(1)
        expect(references.filter(({ isOfOneAccount }) => !isOfOneAccount)).toEqual([])
      }
      await embedding.close()
      await close()
      await distributed.close()
    },
  )

  test('with another account in it is an unknown key', async () => {
    const { apiKey } = await clientele.apiKeys.create(accountId)
    const random = apiKey.slice(30, 73)
    const unknown = await ask(finish(`cu_live_${toText(accountId)}${'0'.repeat(43)}`))
    expect(unknown.status).toBe(401)
    const beyondIds = 'z'.repeat(22)
    const none = toText('00000000-0000-0000-0000-000000000000')
    const highest = toText('ffffffff-ffff-ffff-ffff-ffffffffffff')
    for (const account of [toText(otherId), beyondIds, none, highest, '']) {
      const { status, body } = await ask(finish(`cu_live_${account}${random}`))
      expect({ status, code: body.code }).toEqual({ status: 401, code: 'api_key_invalid' })
      expect(Object.keys(body)).toEqual(Object.keys(unknown.body))
      expect(body.detail).toBe(unknown.body.detail)
    }
  })
})
