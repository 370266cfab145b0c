import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openClientele, send } from '../keys/open-clientele.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { resolveNames } from '../support/resolve-names.ts'

describe.each(databases)('a key that is revoked meanwhile, on $name', ({ open }) => {
  let database: OpenDatabase
  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  test('adds and moves no endpoint whose name was looked up for long', async () => {
    const clientele = await openClientele(database.url)
    onTestFinished(() => clientele.close())
    const { id: accountId } = await clientele.accounts.create({ name: 'Acme' })
    const { apiKey: key, id } = await clientele.apiKeys.create(accountId)
    const ask = async (method: string, path: string, body: object) =>
      (await send(clientele, method, path, { key, body })).status
    const url = 'https://8.8.8.8/'
    const { secret: _, ...webhook } = await clientele.webhooks.create(accountId, { url })
    await resolveNames(() => undefined)
    const body = { url: 'https://hooks.example.com/' }
    const asked = [
      ask('POST', '/client/webhook', body),
      ask('PATCH', `/client/webhook/${webhook.id}`, body),
    ]
    await sleep(100)
    await clientele.apiKeys.revoke(accountId, id)
    expect(await Promise.all(asked)).toEqual([401, 401])
    expect(await clientele.webhooks.list(accountId)).toEqual([webhook])
  })
})
