import type { Repository } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openRepository } from '../keys/open-clientele.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { patchSchema, ScimWorld } from './scim-world.ts'

describe.each(databases)('a deletion of a group, on $name', ({ open }) => {
  let database: OpenDatabase
  let meanwhile: (() => Promise<unknown>) | undefined
  let one: ScimWorld
  let other: ScimWorld
  beforeAll(async () => {
    database = await open()
    const opened = openRepository(database.url)
    const deleteGroup: Repository['scim']['deleteGroup'] = async (...input) => {
      const run = meanwhile
      meanwhile = undefined
      await run?.()
      return opened.scim.deleteGroup(...input)
    }
    const repository = { ...opened, scim: { ...opened.scim, deleteGroup } }
    one = await ScimWorld.open(database.url, { repository })
    other = await ScimWorld.open(database.url)
  })
  afterAll(async () => {
    await one.close()
    await other.close()
    await database.close()
  })

  /** A group of two users, which another process changes when they have lost its role. */
  async function start(change: object) {
    const { accountId, ask, add } = await one.provider()
    const ids = [(await add()).id, (await add()).id]
    const members = ids.map((value) => ({ value }))
    const { body, headers } = await ask('POST', '/Groups', { displayName: 'member', members })
    const path = `/Groups/${body.id}`
    const { apiKey } = await other.clientele.apiKeys.create(accountId, { scopes: ['scim'] })
    const json = { schemas: [patchSchema], Operations: [{ op: 'replace', value: change }] }
    meanwhile = () =>
      other.send('PATCH', `/scim/v2${path}`, json, { authorization: `Bearer ${apiKey}` })
    const rolesOf = async () =>
      Promise.all(
        ids.map(async (id) => (await other.clientele.users.find(accountId, id)).user.roles),
      )
    return { ask, path, etag: headers.get('etag') ?? '', rolesOf }
  }

  test.each([
    [{ externalId: 'other' }, 'member'],
    [{ displayName: 'reader' }, 'reader'],
  ])(
    'whose If-Match does not match in the end is 412, and the members stay (%j)',
    async (change, role) => {
      const { ask, path, etag, rolesOf } = await start(change)
      const { status } = await ask('DELETE', path, undefined, { 'if-match': etag })
      expect([status, (await ask('GET', path)).status]).toEqual([412, 200])
      expect(await rolesOf()).toEqual([[role], [role]])
    },
  )

  test('without If-Match starts over', async () => {
    const { ask, path, rolesOf } = await start({ externalId: 'other' })
    expect([(await ask('DELETE', path)).status, (await ask('GET', path)).status]).toEqual([
      204, 404,
    ])
    expect(await rolesOf()).toEqual([[], []])
  })
})
