import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openClientele } from '../keys/open-clientele.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { runCommand } from '../support/run-command.ts'
import { receive } from '../webhooks/webhook-world.ts'

const databases = eitherDatabase(import.meta.filename)

vi.setConfig({ testTimeout: 60_000 })

const secret = 'a secret for tests that is long enough'

describe.each(databases)('webhooks on the command line, on $name', ({ open }) => {
  let database: OpenDatabase
  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  const environment = () => ({
    ...{ DATABASE_URL: database.url, CLIENTELE_SECRET: secret, ALLOW_PRIVATE_ADDRESSES: 'true' },
  })
  const run = (...args: string[]) => runCommand(args, environment())
  async function runJson(...args: string[]) {
    const { code, output, errors } = await run(...args, '--json')
    expect({ code, errors }).toEqual({ code: 0, errors: '' })
    return JSON.parse(output)
  }

  test('an endpoint is added, tested, replayed and deleted', async () => {
    const clientele = await openClientele(database.url, {
      secrets: [secret],
      webhooks: { deliver: true, allowPrivateAddresses: true },
    })
    const receiver = await receive()
    try {
      const { id: accountId } = await clientele.accounts.create({ name: 'Acme' })
      const webhook = (verb: string, ...more: string[]) =>
        runJson('webhook', verb, '--account', accountId, ...more)
      const { webhook: made } = await webhook('create', '--url', receiver.url, '--type', 'user.*')
      expect(made).toMatchObject({ types: ['user.*'], secret: expect.stringMatching(/^whsec_/) })
      const { secret: _, ...shown } = made
      expect(await webhook('list')).toEqual({ webhooks: [shown] })
      const id = ['--id', made.id]
      expect(await webhook('test', ...id)).toEqual({ id: made.id, queued: true })
      await expect
        .poll(async () => (await webhook('attempts', ...id)).attempts)
        .toMatchObject([{ type: 'webhook.test', status: 204 }])
      const { nextCursor: cursor } = await clientele.events.read(accountId, { limit: 1 })
      const person = { name: 'Ada', email: 'ada@example.com', password: 'correct horse' }
      await clientele.users.create(accountId, person)
      await expect.poll(() => receiver.received.length).toBe(2)
      await webhook('replay', ...id, '--after', cursor)
      await expect.poll(() => receiver.received.length).toBe(3)
      const attempts = await run('webhook', 'attempts', '--account', accountId, ...id)
      expect(attempts.output).toMatch(/user\.created +1 +204/)
      expect(await webhook('delete', ...id)).toEqual({ id: made.id, deleted: true })
      const gone = await run('webhook', 'test', '--account', accountId, ...id)
      expect([gone.code, gone.errors]).toEqual([
        1,
        expect.stringMatching(/^error webhook_not_found.*\nhint: clientele webhook list/s),
      ])
    } finally {
      await clientele.close()
    }
  })
})
