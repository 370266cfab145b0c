import { toWireEvent } from '@clientele/core'
import { expect, test } from 'vitest'
import { eitherDatabase } from '../support/databases.ts'
import { SignInWorld } from '../support/sign-in-world.ts'

const databases = eitherDatabase(import.meta.filename)

test.each(databases)('a large page of the feed is sent in parts, on $name', async ({ open }) => {
  const database = await open()
  const { clientele } = await new SignInWorld(() => database.url).start()
  const { id: accountId } = await clientele.accounts.create({ name: 'Acme' })
  const { apiKey } = await clientele.apiKeys.create(accountId)
  const headers = { authorization: `Bearer ${apiKey}` }
  const url = '/client/event?type=user.created'
  const read = async () => {
    const rawHeaders = Object.entries(headers).flat()
    const body = new Blob([]).stream()
    const request = { method: 'GET', url, mountPath: '', headers, rawHeaders, body }
    const answer = await clientele.handle(request)
    const parts: Uint8Array[] = []
    for await (const part of answer?.stream ?? []) parts.push(part)
    const text = answer?.body ?? Buffer.concat(parts).toString()
    return { count: parts.length, page: JSON.parse(text) }
  }
  const add = async (count: number) => {
    for (let index = 0; index < count; index++)
      await clientele.users.create(accountId, {
        ...{ name: 'Ada', email: `ada${crypto.randomUUID()}@example.com`, password: 'password' },
        metadata: { note: 'é'.repeat(4_000) },
      })
  }
  await add(3)
  expect(await read()).toMatchObject({ count: 0 })
  await add(37)
  const { count, page } = await read()
  expect(count).toBeGreaterThan(5)
  const { data, nextCursor } = await clientele.events.read(accountId, { types: ['user.created'] })
  expect(page).toEqual({
    data: JSON.parse(JSON.stringify(data.map(toWireEvent))),
    next_cursor: nextCursor,
    has_more: false,
  })
  await clientele.close()
  await database.close()
})
