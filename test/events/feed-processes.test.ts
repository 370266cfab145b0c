import { setTimeout as sleep } from 'node:timers/promises'
import type { Clientele, ClienteleEvent } from '@clientele/core'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openClientele } from '../keys/open-clientele.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { type Acknowledged, FeedWriter } from './feed-journal.ts'

// Each writer is a process, and a busy machine starts them slowly.
vi.setConfig({ testTimeout: 120_000 })

const changes = 60

// Places are given in two ways: with a hash chain, and without.
const targets = databases.flatMap((target) => [
  { ...target, chain: true },
  { ...target, chain: false },
])

describe.each(targets)(
  'the feed of many processes on $name, chain $chain',
  ({ name, open, chain }) => {
    let database: OpenDatabase
    let clientele: Clientele
    let other: Clientele
    let accountId: string
    beforeAll(async () => {
      database = await open()
      clientele = await openClientele(database.url, { audit: { chain } })
      other = await openClientele(database.url)
      accountId = (await clientele.accounts.create({ name: 'Acme' })).id
    })
    afterAll(async () => {
      await clientele.close()
      await other.close()
      await database.close()
    })

    /** Follows the feed until `isOver`, and everything that was committed by then has been read. */
    async function follow(at: Clientele, limit: number, isOver: () => boolean) {
      const events: ClienteleEvent[] = []
      let after: string | undefined
      for (;;) {
        const wasOver = isOver()
        const page = await at.events.read(accountId, { after, limit, wait: 1 })
        events.push(...page.data)
        after = page.nextCursor
        if (wasOver && !page.hasMore && page.data.length === 0) return events
      }
    }

    /** Commits late: its events are written long before others that are read first. Every third is given up. */
    async function writeSlowly(writer: number, journal: Acknowledged[]): Promise<string[]> {
      const givenUp: string[] = []
      for (let turn = 1; turn <= 6; turn++) {
        const client = new Client({ connectionString: database.url })
        // It is cut off below.
        client.on('error', () => {})
        await client.connect()
        const requestId = `slow-${writer}-${turn}`
        await client.query('begin')
        await client.query(
          `insert into clientele_events (account_id, id, type, created_at, actor_type, request_id, subject_type, data)
         values ($1, gen_random_uuid(), 'api_key.revoked', 0, 'system', $2, 'api_key', '{}')`,
          [accountId, requestId],
        )
        await sleep(50 + Math.random() * 400)
        if (turn % 3 === 0) {
          givenUp.push(requestId)
          // As a process that is killed does: without a word.
          await client.query('select pg_terminate_backend(pg_backend_pid())').catch(() => {})
        } else {
          await client.query('commit')
          journal.push({ requestId, type: 'api_key.revoked', userId: null })
        }
        await client.end().catch(() => {})
      }
      return givenUp
    }

    test('has each acknowledged change once, and the changes of a user in order', async () => {
      const shared = await Promise.all(
        [1, 2, 3].map((index) =>
          clientele.users.create(
            { accountId, requestId: `shared-${index}` },
            { name: 'Ada', email: `shared${index}@example.com`, password: 'correct horse' },
          ),
        ),
      )
      const sharedUserIds = shared.map(({ user }) => user.id)
      // One that begins no chain may be the first to give places otherwise.
      await clientele.events.read(accountId)
      const slow: Acknowledged[] = shared.map(({ user, version }, index) => ({
        requestId: `shared-${index + 1}`,
        type: 'user.created',
        userId: user.id,
        version,
      }))
      let isOver = false
      const reading = Promise.all([
        follow(clientele, 7, () => isOver),
        follow(other, 1_000, () => isOver),
      ])
      const args = { url: database.url, accountId, sharedUserIds, chain }
      const startWriter = (writer: string, killAfter?: number) =>
        new FeedWriter(
          writer,
          { ...args, changes: killAfter === undefined ? changes : 1e9 },
          killAfter,
        )
      const writers = [
        startWriter('a'),
        startWriter('b'),
        startWriter('c', 23),
        startWriter('d', 40),
      ]
      const slowOnes =
        name === 'postgres' ? [1, 2, 3].map((writer) => writeSlowly(writer, slow)) : []
      await Promise.all(writers.slice(2).map(({ ended }) => ended))
      // A restarted process continues beside the others.
      writers.push(startWriter('e', 17))
      await Promise.all(writers.map(({ ended }) => ended))
      const givenUp = (await Promise.all(slowOnes)).flat()
      isOver = true
      const [events, again] = await reading

      expect(writers.map((writer) => [writer.wasKilled, writer.errors])).toEqual(
        [false, false, true, true, true].map((wasKilled) => [wasKilled, '']),
      )
      // All readers see the same, and none an event twice.
      expect(again.map(({ id }) => id)).toEqual(events.map(({ id }) => id))
      expect(new Set(events.map(({ id }) => id)).size).toBe(events.length)

      const journal = [...slow, ...writers.flatMap((writer) => writer.journal)]
      expect(journal.length).toBeGreaterThan(2 * changes + 23 + 40)
      const places = new Map<string, number>()
      for (const [place, { requestId }] of events.entries()) {
        expect(places.has(requestId), `${requestId} stands there twice`).toBe(false)
        places.set(requestId, place)
      }
      for (const { requestId, type, userId } of journal) {
        const event = events[places.get(requestId) ?? -1]
        expect(event, `${requestId} was acknowledged`).toMatchObject({
          type,
          subject: { id: userId },
        })
      }

      // A writer does one thing after the other, and a shared user's versions say who was first.
      for (const { journal: own } of writers) expectOrder(own, places)
      for (const userId of sharedUserIds) {
        const changesOf = journal.filter((change) => change.userId === userId)
        expectOrder(
          changesOf.toSorted((a, b) => (a.version ?? 0) - (b.version ?? 0)),
          places,
        )
      }

      // Unreported changes: at most the one that each killed writer was working on, and it was committed.
      const acknowledged = new Set(journal.map(({ requestId }) => requestId))
      const untold = events.filter(
        // The first token makes the key that signs it.
        ({ requestId, type }) => !acknowledged.has(requestId) && type !== 'signing_key.created',
      )
      const mayBeUntold = writers
        .filter(({ wasKilled }) => wasKilled)
        .map((writer) => `${writer.name}-${writer.journal.length + 1}`)
      for (const event of untold) {
        // Lines that a writer had printed when it was killed have all been read.
        expect(mayBeUntold).toContain(event.requestId)
        await expectDone(event)
      }
      for (const requestId of givenUp) expect(places.has(requestId)).toBe(false)

      // Nothing happened without its event.
      const { total } = await clientele.users.list(accountId)
      expect(events.filter(({ type }) => type === 'user.created')).toHaveLength(total)
      for (const userId of sharedUserIds) {
        const { user } = await clientele.users.find(accountId, userId)
        const last = events.findLast(({ subject }) => subject.id === userId)
        expect(last?.data.user).toEqual(user)
      }
      // What was inserted behind our back has no seal of ours.
      const forged = chain ? slow.filter(({ type }) => type === 'api_key.revoked') : []
      expect(await other.events.verify(accountId)).toMatchObject({
        hasChain: chain,
        isSound: chain && forged.length === 0,
        problemCount: forged.length,
      })
    })

    function expectOrder(journal: readonly Acknowledged[], places: ReadonlyMap<string, number>) {
      const order = journal.map(({ requestId }) => places.get(requestId) ?? -1)
      expect(order).toEqual(order.toSorted((a, b) => a - b))
    }

    /** What an event says has been committed with it. */
    async function expectDone({ type, subject, data }: ClienteleEvent): Promise<void> {
      const userId = subject.id ?? ''
      const { user } = await clientele.users.find(accountId, userId)
      if (type === 'user.deactivated') expect(user.isActive).toBe(false)
      else if (type === 'user.logged_in') {
        const sessions = await clientele.sessions.list(accountId, userId)
        expect(sessions.map(({ id }) => id)).toContain(data.sessionId)
      } else
        expect(user.updatedAt.getTime()).toBeGreaterThanOrEqual(data.user?.updatedAt.getTime() ?? 0)
    }
  },
)
