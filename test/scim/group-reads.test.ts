import { describe, expect, onTestFinished, test } from 'vitest'
import { openRepository } from '../keys/open-clientele.ts'
import { eitherDatabase } from '../support/databases.ts'
import { ScimWorld } from './scim-world.ts'

const databases = eitherDatabase(import.meta.filename)

describe.each(databases)('A group that is read while it is renamed, on $name', ({ open }) => {
  async function start() {
    const database = await open()
    const repository = openRepository(database.url)
    const { scim } = repository
    let renames = 0
    let times = 0
    let isRenaming = true
    const listMembers: typeof scim.listMembers = async (...input) => {
      if (!isRenaming && renames < times) {
        // A rename lists members itself.
        isRenaming = true
        await rename(`name ${++renames}`)
        isRenaming = false
      }
      return scim.listMembers(...input)
    }
    const held = { ...repository, scim: { ...scim, listMembers } }
    const world = await ScimWorld.open(database.url, { repository: held })
    onTestFinished(async () => {
      await world.close()
      await database.close()
    })
    const { add, ask } = await world.provider()
    const members = [{ value: (await add()).id }, { value: (await add()).id }]
    const { body } = await ask('POST', '/Groups', { displayName: 'first', members })
    const path = `/Groups/${body.id}`
    const rename = (displayName: string) =>
      ask('PATCH', path, { Operations: [{ op: 'replace', value: { displayName } }] })
    /** Reads while the group is renamed so often. */
    const read = async (of: string, more: number) => {
      isRenaming = false
      times += more
      return ask('GET', of)
    }
    return { path, read }
  }

  test('has all its members, and the new name', async () => {
    const { path, read } = await start()
    const one = await read(path, 1)
    expect(one.body).toMatchObject({ displayName: 'name 1', members: [{}, {}] })
    expect(one.headers.get('etag')).toBe(one.body.meta.version)
    const { body } = await read('/Groups', 1)
    expect(body.Resources).toMatchObject([{ displayName: 'name 2', members: [{}, {}] }])
  })

  test('has no members where it is renamed again and again: a part would look like all', async () => {
    const { path, read } = await start()
    expect((await read(path, 100)).body.members).toBeUndefined()
  })
})
