import { describe, expect, onTestFinished, test } from 'vitest'
import { openRepository } from '../keys/open-clientele.ts'
import { databases } from '../support/databases.ts'
import { byFilter, ScimWorld } from './scim-world.ts'

describe.each(databases)('Searches of many accounts among all users, on $name', ({ open }) => {
  test('keep no other account from its pages, groups and searches by an index', async () => {
    const database = await open()
    const opened = openRepository(database.url)
    const waiting: (() => void)[] = []
    const walk: typeof opened.scim.walk = async (...input) => {
      await new Promise<void>((resolve) => waiting.push(resolve))
      return opened.scim.walk(...input)
    }
    const repository = { ...opened, scim: { ...opened.scim, walk } }
    const world = await ScimWorld.open(database.url, { repository })
    onTestFinished(async () => {
      await world.close()
      await database.close()
    })
    const path = byFilter('/Users', 'emails co "example"')
    const searches = []
    for (let account = 0; account < 6; account++) {
      const { ask, add } = await world.provider()
      await add()
      searches.push(ask('GET', path), ask('GET', path))
    }
    await expect.poll(() => waiting.length).toBe(2)
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
      for (const resolve of waiting.splice(0)) resolve()
    }, 10)
    for (const { status } of await Promise.all(searches)) expect(status).toBe(200)
    clearInterval(goOn)
  })
})
