import type { Repository } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openRepository } from '../keys/open-clientele.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { receive, WebhookWorld } from './webhook-world.ts'

const databases = eitherDatabase(import.meta.filename)

describe.each(databases)(
  'an endpoint that is changed while a turn of it begins, on $name',
  ({ open }) => {
    let database: OpenDatabase
    const world = new WebhookWorld(() => database.url)
    beforeAll(async () => {
      database = await open()
    })
    afterAll(() => database.close())

    /** A process that delivers, in which something happens after the endpoint was leased, and before its events are read. */
    async function start() {
      world.now = Date.now()
      let meanwhile: (() => Promise<unknown>) | undefined
      const opened = openRepository(database.url)
      const readPlaced: Repository['events']['readPlaced'] = async (accountId, wanted) => {
        const run = wanted.limit > 1 ? meanwhile : undefined
        if (run !== undefined) meanwhile = undefined
        await run?.()
        return opened.events.readPlaced(accountId, wanted)
      }
      const repository = { ...opened, events: { ...opened.events, readPlaced } }
      const clientele = await world.deliver({ repository })
      const webhooks = { allowPrivateAddresses: true }
      const { clientele: elsewhere } = await world.start({ webhooks })
      const receiver = await receive()
      const { accountId, webhook } = await world.addWebhook(elsewhere, {
        url: receiver.url,
        types: ['user.updated'],
      })
      const { user } = await world.addUser(elsewhere, { accountId })
      const begin = async (run: () => Promise<unknown>): Promise<void> => {
        let isDone = false
        meanwhile = async () => {
          await run()
          isDone = true
        }
        await elsewhere.users.patch(accountId, user.id, { name: 'Grace' })
        await expect.poll(() => isDone).toBe(true)
      }
      return { clientele, elsewhere, receiver, accountId, webhook, begin }
    }

    test('gets every event of the types that it asks for, from the answer on', async () => {
      const { elsewhere, receiver, accountId, webhook, begin } = await start()
      let created: string[] = []
      await begin(async () => {
        await elsewhere.webhooks.update(accountId, webhook.id, { types: ['user.*'] })
        created = await world.createUsers(elsewhere, accountId, 1)
      })
      const subjects = () => receiver.ofType('user.created').map(({ subjectId }) => subjectId)
      await expect.poll(subjects).toEqual(expect.arrayContaining(created))
    })

    test('gets every event at the URL that it asks for, from the answer on', async () => {
      const { elsewhere, accountId, webhook, begin } = await start()
      const next = await receive()
      let changed = ''
      await begin(async () => {
        await elsewhere.webhooks.update(accountId, webhook.id, { url: next.url })
        const { user } = await world.addUser(elsewhere, { accountId })
        await elsewhere.users.patch(accountId, user.id, { name: 'Ada King' })
        changed = user.id
      })
      const subjects = () => next.ofType('user.updated').map(({ subjectId }) => subjectId)
      await expect.poll(subjects).toContain(changed)
    })
  },
)
