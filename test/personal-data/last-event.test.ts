import { HookRefusal } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf } from '../keys/open-clientele.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { repositoryOf } from '../support/open-repository.ts'
import { type AddedUser, SignInWorld } from '../support/sign-in-world.ts'

const databases = eitherDatabase(import.meta.filename)

describe.each(databases)('the last event about an erased user, on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new SignInWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  /** A process that erases the user while a request is under way */
  async function addEraser() {
    const { clientele } = await world.start()
    const added = await world.addUser(clientele)
    const { accountId, user } = added
    return { added, erase: () => clientele.users.erase(accountId, user.id) }
  }

  /** Expects it of a feed, as another process reads it. */
  async function expectLast({ accountId, user }: AddedUser): Promise<void> {
    const { clientele } = await world.start()
    const { data } = await clientele.events.read(accountId)
    const about = data.filter(({ subject }) => subject.id === user.id)
    expect(about.map(({ type }) => type)).toEqual(['user.created', 'user.erased'])
    expect(JSON.stringify(data)).not.toContain(user.email)
  }

  test('is user.erased where a sign-in under way is refused', async () => {
    const { added, erase } = await addEraser()
    const beforeSignIn = async (): Promise<never> => {
      await erase()
      throw new HookRefusal('no')
    }
    const { clientele } = await world.start({ hooks: { beforeSignIn } })
    const heard: unknown[] = []
    clientele.events.on('user.login_failed', (event) => heard.push(event))
    const { accountId, credentials } = added
    expect(await codeOf(clientele.auth.logIn(accountId, credentials))).toBe('refused_by_hook')
    await expectLast(added)
    expect(heard).toEqual([])
    const { data } = await clientele.events.read(accountId, { types: ['user.login_failed'] })
    expect(data.map(({ subject, data: about }) => [subject.id, 'email' in about])).toEqual([
      [null, false],
    ])
  })

  test('is user.erased where an export is under way, which then gives nothing away', async () => {
    const { added, erase } = await addEraser()
    const repository = repositoryOf(database.url)
    const { readEvents } = repository.personalData
    const personalData = {
      ...repository.personalData,
      readEvents: async (...input: Parameters<typeof readEvents>) => {
        const page = await readEvents(...input)
        await erase()
        return page
      },
    }
    const { clientele } = await world.start({ repository: { ...repository, personalData } })
    const { accountId, user } = added
    expect(await codeOf(clientele.users.exportData(accountId, user.id))).toBe('user_not_found')
    await expectLast(added)
  })
})
