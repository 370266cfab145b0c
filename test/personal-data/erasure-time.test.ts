import type { Repository } from '@clientele/core'
import { decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openRepository } from '../keys/open-clientele.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { logIn } from '../support/log-in.ts'
import { SignInWorld } from '../support/sign-in-world.ts'

const databases = eitherDatabase(import.meta.filename)

describe.each(databases)('on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new SignInWorld(() => database.url)
  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  test('a receipt is signed by no key that was removed while the erasure went on', async () => {
    const { clientele: elsewhere } = await world.start()
    const { accountId, user, credentials } = await world.addUser(elsewhere)
    await logIn(elsewhere, accountId, credentials)
    const opened = openRepository(database.url)
    const removeKey = async (): Promise<void> => {
      const [stolen] = await elsewhere.signingKeys.list(accountId)
      await elsewhere.signingKeys.rotate(accountId, { now: true })
      await elsewhere.signingKeys.remove(accountId, stolen?.id ?? '')
    }
    const erase: Repository['personalData']['erase'] = async (...input) => {
      await removeKey()
      return opened.personalData.erase(...input)
    }
    const repository = { ...opened, personalData: { ...opened.personalData, erase } }
    const { clientele } = await world.start({ repository })
    const { receipt } = await clientele.users.erase(accountId, user.id)
    const [present] = await elsewhere.signingKeys.list(accountId)
    expect(decodeProtectedHeader(receipt).kid).toBe(present?.id)
  })

  test.each(['erase', 'delete'] as const)(
    'the revocations cover a sign-in while a user with a long history is ended by %s',
    async (way) => {
      const { clientele: elsewhere } = await world.start()
      const { accountId, user, credentials } = await world.addUser(elsewhere)
      const opened = openRepository(database.url)
      let lastToken = ''
      // What comes before the last transaction takes its time.
      const takeTime = async (): Promise<void> => {
        world.now += 30_000
        lastToken = (await logIn(elsewhere, accountId, credentials)).token
      }
      const repository: Repository = {
        ...opened,
        users: {
          ...opened.users,
          delete: async (...input) => {
            await takeTime()
            return opened.users.delete(...input)
          },
        },
        personalData: {
          ...opened.personalData,
          erase: async (...input) => {
            await takeTime()
            return opened.personalData.erase(...input)
          },
        },
      }
      const { clientele } = await world.start({ repository })
      await clientele.users[way](accountId, user.id)
      const { data } = await elsewhere.revocations.read(accountId)
      const notBefore = new Date(world.now)
      expect(data).toMatchObject([{ type: 'user', userId: user.id, notBefore }])
      await expect(elsewhere.auth.validateToken(accountId, lastToken)).rejects.toThrow()
    },
  )
})
