import type { Repository } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { insertRows, numberedId, runSql } from '../support/run-sql.ts'
import { findWide, recordStatements } from './find-wide.ts'
import { addWebhook } from './isolation/webhooks.ts'
import { openForPlans, type PlanWorld } from './open-for-plans.ts'
import { hour, newAccount, nextId, start } from './world.ts'

const deliveryCount = 40_000
const endpointCount = 60
/** The deliveries are many more than the rows of the other endpoints, also where each of these is compared with each. */
const maxTouches = deliveryCount / 4

// Statistics of a table that nearly belongs to one endpoint say that each endpoint has so many rows.
describe.each(
  [
    { they: 'wait for their next attempts', isActive: true, next: `${start + hour} + n` },
    { they: 'are due, of an endpoint that is off', isActive: false, next: `${start - hour} - n` },
  ].flatMap((each) =>
    [0, 500].flatMap((ofOthers) =>
      [true, false].map((isAnalyzed) => ({ ...each, ofOthers, isAnalyzed })),
    ),
  ),
)(
  'where the deliveries of one endpoint $they, $ofOthers of each other, analyzed: $isAnalyzed',
  (state) => {
    const { isActive, next, ofOthers, isAnalyzed } = state
    // Before the first ANALYZE an endpoint that is settled may have all its own read.
    const ownTouches = isAnalyzed ? 0 : endpointCount * ofOthers
    let world: PlanWorld
    let repository: Repository
    const others: { accountId: string; id: string }[] = []

    beforeAll(async () => {
      world = await openForPlans()
      const { url } = world
      ;({ repository } = world)
      for (let count = 0; count < endpointCount; count++) {
        const accountId = await newAccount(repository)
        others.push({ accountId, id: (await addWebhook(repository, { accountId })).id })
      }
      const accountId = await newAccount(repository)
      const { id } = await addWebhook(repository, { accountId }, 0, { isActive })
      await insertRows(url, 'clientele_webhook_deliveries', deliveryCount, {
        ...{ account_id: `'${accountId}'`, webhook_id: `'${id}'`, event_id: numberedId(url) },
        ...{ position: 'n', payload: 'null', attempts: '1', next_attempt_at: next },
      })
      for (const other of others)
        await insertRows(url, 'clientele_webhook_deliveries', ofOthers, {
          ...{ account_id: `'${other.accountId}'`, webhook_id: `'${other.id}'` },
          ...{ event_id: numberedId(url), position: 'n', payload: 'null', attempts: '1' },
          next_attempt_at: `${start + hour} + n`,
        })
      const failing = isActive ? start : 'null'
      await runSql(
        url,
        `update clientele_webhooks set failing_since = ${failing} where id = '${id}'`,
        // The other endpoints have nothing to send.
        'delete from clientele_events',
        ...(isAnalyzed ? ['analyze'] : []),
      )
    })
    afterAll(() => world.close())

    /** As PostgreSQL plans them for any values */
    async function findWideOf(work: () => Promise<unknown>): Promise<Record<string, number>> {
      const statements = await recordStatements(world, work)
      return findWide(world, statements, {
        modes: ['force_generic_plan'],
        maxTouches: maxTouches + ownTouches,
      })
    }

    const due = { isFailing: false, limit: 10 }

    test('endpoints that have something due are found without these', async () => {
      const work = async () => {
        expect(await repository.webhooks.findDue(start, due)).toEqual([])
        expect(await repository.webhooks.findDue(start, { ...due, isFailing: true })).toEqual([])
      }
      expect(await findWideOf(work)).toEqual({})
    })

    test('so are those of some accounts', async () => {
      const accountIds = others.map(({ accountId }) => accountId)
      const work = async () => {
        expect(await repository.webhooks.findDue(start, { ...due, accountIds })).toEqual([])
      }
      expect(await findWideOf(work)).toEqual({})
    })

    test('so is how far all deliveries are behind', async () => {
      const work = async () => {
        expect(await repository.webhooks.findDueSince(start)).toBeNull()
      }
      expect(await findWideOf(work)).toEqual({})
    })

    test('so are the deliveries of other endpoints, and they are settled without these', async () => {
      const range = { after: 0, until: start }
      const work = async () => {
        const lease = { now: start, until: start + 30_000 }
        await Promise.all(
          others.map(({ accountId, id }) =>
            repository.webhooks.lease(accountId, id, { ...lease, holder: id }),
          ),
        )
        await Promise.all(
          others.map(async ({ accountId, id }) => {
            expect(await repository.webhooks.listPending(accountId, id, range, 20)).toEqual([])
          }),
        )
        const progress = { position: 0, failingSince: null, attemptCount: 1 }
        const work = { pending: [], ended: [nextId()], attempts: [] }
        await Promise.all(
          others.map(({ accountId, id }) =>
            repository.webhooks.settle(accountId, id, {
              ...{ holder: id, now: start, until: start, ...progress, ...work },
            }),
          ),
        )
      }
      expect(await findWideOf(work)).toEqual({})
    })
  },
)
