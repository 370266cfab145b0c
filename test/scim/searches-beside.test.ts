import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { toRecords } from '../import/import-world.ts'
import { openRepository } from '../keys/open-clientele.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { byFilter, ScimWorld } from './scim-world.ts'

const databases = eitherDatabase(import.meta.filename)

const path = byFilter('/Users', 'emails co "example"')

/** A world whose searches among all users wait before each page until they may go on. */
async function openHeld(database: OpenDatabase) {
  const opened = openRepository(database.url)
  const waiting = new Map<string, () => void>()
  const walked: string[] = []
  const walk: typeof opened.scim.walk = async (...input) => {
    walked.push(input[0])
    await new Promise<void>((resolve) => waiting.set(input[0], resolve))
    waiting.delete(input[0])
    return opened.scim.walk(...input)
  }
  const repository = { ...opened, scim: { ...opened.scim, walk } }
  const world = await ScimWorld.open(database.url, { repository })
  onTestFinished(async () => {
    await world.close()
    await database.close()
  })
  return { world, waiting, walked }
}

describe.each(databases)('Searches of many accounts among all users, on $name', ({ open }) => {
  test('keep no other account from its pages, groups and searches by an index', async () => {
    const { world, waiting } = await openHeld(await open())
    const searches = []
    for (let account = 0; account < 6; account++) {
      const { ask, add } = await world.provider()
      await add()
      searches.push(ask('GET', path), ask('GET', path))
    }
    await expect.poll(() => waiting.size).toBe(2)
    const { ask, add } = await world.provider()
    const { id } = await add()
    const { body } = await ask('POST', '/Groups', {
      displayName: 'staff',
      members: [{ value: id }],
    })
    for (const each of [
      '/Users?count=10',
      '/Groups',
      `/Groups/${body.id}`,
      byFilter('/Users', 'displayName sw "A"'),
    ])
      expect((await ask('GET', each)).status).toBe(200)
    const goOn = setInterval(() => {
      for (const resolve of waiting.values()) resolve()
    }, 10)
    for (const { status } of await Promise.all(searches)) expect(status).toBe(200)
    clearInterval(goOn)
  })

  test('go before those of accounts that have searched for longer', async () => {
    const { world, waiting } = await openHeld(await open())
    const start = async () => {
      const { accountId, ask, add } = await world.provider()
      await add()
      const search = () => ask('GET', path)
      return { accountId, search, goOn: () => waiting.get(accountId)?.() }
    }
    const [first, second, other] = [await start(), await start(), await start()]
    const busy = [await start(), await start()]
    const answers = [first.search()]
    for (const { search, goOn } of busy) {
      const answer = search()
      await expect.poll(() => waiting.size).toBe(2)
      await sleep(200)
      goOn()
      await answer
    }
    for (const { search } of [second, ...busy, other]) {
      answers.push(search())
      await sleep(50)
    }
    second.goOn()
    await expect.poll(() => waiting.size).toBe(2)
    expect([...waiting.keys()]).toEqual([first.accountId, other.accountId])
    const goOn = setInterval(() => {
      for (const resolve of waiting.values()) resolve()
    }, 10)
    for (const { status } of await Promise.all(answers)) expect(status).toBe(200)
    clearInterval(goOn)
  })
})

describe.each(databases)('A search among all users, on $name', ({ open }) => {
  test('ends for a caller who has gone', async () => {
    const { world, waiting, walked } = await openHeld(await open())
    const { accountId } = await world.provider()
    const users = Array.from({ length: 600 }, (_, index) => ({
      name: 'Ada',
      email: `u${index}@example.com`,
    }))
    await world.clientele.users.import(accountId, toRecords(users))
    const { apiKey } = await world.clientele.apiKeys.create(accountId, { scopes: ['scim'] })
    const controller = new AbortController()
    const headers = { authorization: `Bearer ${apiKey}` }
    const asked = world.send('GET', `/scim/v2${path}`, undefined, headers, controller.signal)
    asked.catch(() => {})
    await expect.poll(() => waiting.size).toBe(1)
    controller.abort()
    await sleep(100)
    waiting.get(accountId)?.()
    await sleep(200)
    expect(walked).toEqual([accountId])
  })

  test('reads the form of a name once for all its comparisons', async () => {
    const database = await open()
    const world = await ScimWorld.open(database.url)
    onTestFinished(async () => {
      await world.close()
      await database.close()
    })
    const { accountId, ask } = await world.provider()
    const label = 'ü'.repeat(25)
    const users = Array.from({ length: 2_000 }, (_, index) => ({
      name: 'Ada',
      email: `u${index}@${label}${index}.${label}.${label}.com`,
    }))
    await world.clientele.users.import(accountId, toRecords(users))
    const parts = Array.from({ length: 50 }, (_, index) => `userName ne "${index}"`)
    const startedAt = performance.now()
    const { status, body } = await ask('GET', byFilter('/Users', parts.join(' and ')))
    expect([status, body.totalResults]).toEqual([200, users.length])
    // It would take five seconds and more with a form for each comparison.
    expect(performance.now() - startedAt).toBeLessThan(2_000)
  })
})
