import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Clientele, UserResult } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lowestId } from '../../packages/core/src/base/input/id.ts'
import { codeOf, openClientele, openRepository } from '../keys/open-clientele.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { runSql } from '../support/run-sql.ts'
import { personOf, secrets } from './world.ts'

const databases = eitherDatabase(import.meta.filename)

const day = 24 * 3600 * 1000
const contenders = Array.from({ length: 20 }, (_, index) => index)

describe.each(databases)('$name', ({ open }) => {
  let database: OpenDatabase
  let now = Date.now()
  /** Two processes, as the database sees them */
  let clienteles: [Clientele, Clientele]
  let accountId: string

  beforeAll(async () => {
    database = await open()
    const clock = () => now
    const one = await openClientele(database.url, { secrets, clock })
    clienteles = [one, await openClientele(database.url, { secrets, clock })]
    accountId = (await one.accounts.create({ name: 'Acme' })).id
  })
  afterAll(async () => {
    for (const clientele of clienteles) await clientele.close()
    await database.close()
  })

  const oneOf = (index: number) => clienteles[index % 2 === 0 ? 0 : 1]
  const countUsers = async (q: string) => (await clienteles[0].users.list(accountId, { q })).total
  const readReplies = (key: string) =>
    runSql(database.url, `select * from clientele_replies where key like '${key}%'`)

  test('20 simultaneous creates in two processes: one user, one event, 20 equal answers', async () => {
    const told: string[] = []
    const stops = clienteles.map((each) =>
      each.events.on('user.created', ({ user }) => told.push(user.id)),
    )
    for (let round = 0; round < 5; round++) {
      const key = `once-${round}`
      const call = { accountId, idempotencyKey: key }
      const answers = await Promise.all(
        contenders.map((index) => oneOf(index).users.create(call, personOf(key))),
      )
      expect(answers).toEqual(answers.map(() => answers[0]))
      expect(await countUsers(key)).toBe(1)
      expect(told).toEqual([answers[0]?.user.id])
      told.length = 0
    }
    for (const stop of stops) stop()
  })

  test('20 simultaneous bodies with one key: one is accepted, the others are refused', async () => {
    for (let round = 0; round < 5; round++) {
      const call = { accountId, idempotencyKey: `bodies-${round}` }
      const outcomes = await Promise.all(
        contenders.map((index) =>
          codeOf(oneOf(index).users.create(call, personOf(`body-${round}-${index}`))),
        ),
      )
      expect(outcomes.toSorted()).toEqual([
        ...contenders.slice(1).map(() => 'idempotency_key_reused'),
        undefined,
      ])
      expect(await countUsers(`body-${round}-`)).toBe(1)
    }
  })

  test('20 simultaneous deactivations change the user once', async () => {
    const { user } = await clienteles[0].users.create(accountId, personOf('off'))
    const call = { accountId, idempotencyKey: 'off' }
    const answers = await Promise.all(
      contenders.map((index) => oneOf(index).users.deactivate(call, user.id)),
    )
    expect(answers).toEqual(answers.map(() => answers[0]))
    expect((await clienteles[0].users.find(accountId, user.id)).version).toBe(2)
    await clienteles[0].users.activate(accountId, user.id)
    expect(await clienteles[1].users.deactivate(call, user.id)).toEqual(answers[0])
    expect((await clienteles[0].users.find(accountId, user.id)).user.isActive).toBe(true)
  })

  test('after kill -9 between write and answer, the repeat gets the answer of the first', async () => {
    const lines = await runWorker('die', () => false)
    expect(lines).toHaveLength(1)
    const key = lines[0]?.key ?? ''
    const kept = await clienteles[0].users.list(accountId, { q: key })
    expect(kept.total).toBe(1)
    const answer = await repeat(key)
    expect(answer).toEqual({ user: kept.data[0], version: 1 })
    expect(await repeat(key)).toEqual(answer)
    expect(await countUsers(key)).toBe(1)
  })

  test('kill -9 at any moment: each request is done once or not at all, and can be repeated', async () => {
    const lines = await runWorker('loop', (count) => count === 61)
    const answers = new Map(lines.map(({ key, answer }) => [key, answer]))
    expect(answers.size).toBeGreaterThan(29)
    for (const [key, answer] of answers) {
      const again = await repeat(key)
      if (answer !== undefined) expect(JSON.parse(JSON.stringify(again))).toEqual(answer)
      expect(await countUsers(`${key}@example.com`)).toBe(1)
    }
  })

  /** Says what a worker wrote before it was killed. */
  async function runWorker(task: 'loop' | 'die', kills: (lines: number) => boolean) {
    const path = join(import.meta.dirname, 'create-worker.ts')
    const worker = spawn(process.execPath, [path, task, database.url, accountId])
    const ended = new Promise<string | null>((resolve) =>
      worker.on('close', (_code, signal) => resolve(signal)),
    )
    const lines: { key: string; answer?: UserResult }[] = []
    for await (const line of createInterface({ input: worker.stdout })) {
      lines.push(JSON.parse(line))
      if (kills(lines.length)) worker.kill('SIGKILL')
    }
    expect(await ended).toBe('SIGKILL')
    return lines
  }

  function repeat(key: string): Promise<UserResult> {
    return clienteles[1].users.create({ accountId, idempotencyKey: key }, personOf(key))
  }

  test('the stored response has neither the password nor its hash', async () => {
    await repeat('secret')
    const kept = JSON.stringify(await readReplies('secret'))
    expect(kept).toContain('secret@example.com')
    expect(kept).not.toMatch(/correct horse|argon2|password/i)
  })

  test('the key of an expired answer is free, and the sweeper deletes the others', async () => {
    for (let index = 0; index < 25; index++) await repeat(`old-${index}`)
    expect(await readReplies('old-')).toHaveLength(25)
    now += day
    const { user } = await clienteles[0].users.create(
      { accountId, idempotencyKey: 'old-0' },
      personOf('new'),
    )
    expect(user.email).toBe('new@example.com')
    const repository = openRepository(database.url)
    await repository.storage.sweep(lowestId, { now, eventsBefore: 0 })
    await repository.storage.close()
    expect(await readReplies('old-')).toHaveLength(1)
  })

  test('a changed secret leaves keys valid', async () => {
    const answer = await repeat('secrets')
    const successor = await openClientele(database.url, {
      secrets: ['another secret of the tests, 32 chars', ...secrets],
      clock: () => now,
    })
    const call = { accountId, idempotencyKey: 'secrets' }
    expect(await successor.users.create(call, personOf('secrets'))).toEqual(answer)
    const other = successor.users.create(call, personOf('other'))
    expect(await codeOf(other)).toBe('idempotency_key_reused')
    await successor.close()
  })

  test('stored answers are deleted with their account', async () => {
    const { id } = await clienteles[0].accounts.create({ name: 'Short' })
    await clienteles[0].users.create({ accountId: id, idempotencyKey: 'gone' }, personOf('gone'))
    expect(await readReplies('gone')).toHaveLength(1)
    await clienteles[0].accounts.delete(id)
    expect(await readReplies('gone')).toHaveLength(0)
  })

  test('an invalid key is refused by its name', async () => {
    for (const idempotencyKey of ['', 'a b', 'é', 'x'.repeat(256)]) {
      const creating = clienteles[0].users.create({ accountId, idempotencyKey }, personOf('none'))
      await expect(creating).rejects.toMatchObject({
        issues: [{ pointer: '/call/idempotencyKey', code: 'format' }],
      })
    }
  })
})
