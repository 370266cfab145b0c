import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lowestId } from '../../packages/core/src/base/input/id.ts'
import { insertRows, insertUsers, runSql } from '../support/run-sql.ts'
import { findWide, recordStatements } from './find-wide.ts'
import { openForPlans, type PlanWorld } from './open-for-plans.ts'
import { hour, newAccount, start } from './world.ts'

const rowCount = 20_000
/** Of tables with many rows; nothing of them has expired. */
const maxTouches = rowCount / 10

describe.each([true, false])('a sweep of what has not expired, analyzed: %s', (isAnalyzed) => {
  let world: PlanWorld

  beforeAll(async () => {
    world = await openForPlans()
    const { url, repository } = world
    const accountId = await newAccount(repository)
    await insertUsers(url, accountId, 1)
    const id = `'${accountId}'`
    const expires = String(start + hour)
    await insertRows(url, 'clientele_rate_limits', rowCount, {
      ...{ account_id: id, key: "'key' || n", points: '1', expires_at: expires },
    })
    await insertRows(url, 'clientele_used_id_tokens', rowCount, {
      ...{ account_id: id, digest: "'digest' || n", expires_at: expires },
    })
    await insertRows(url, 'clientele_email_tokens', rowCount, {
      ...{
        account_id: id,
        hash: "'hash' || n",
        user_id: '(select id from clientele_users limit 1)',
      },
      ...{ purpose: "'password_reset'", email: "'ada@example.com'", expires_at: expires },
    })
    for (let count = 0; count < 20; count++) await newAccount(repository)
    if (isAnalyzed) await runSql(url, 'analyze')
  })
  afterAll(() => world.close())

  test.each(['force_generic_plan', 'force_custom_plan'] as const)(
    'reads few rows by a %s',
    async (mode) => {
      const statements = await recordStatements(world, () =>
        world.repository.storage.sweep(lowestId, { now: start, eventsBefore: 0 }),
      )
      const found = statements.filter(({ sql }) => /^(select|delete) /.test(sql))
      expect(found.length).toBeGreaterThan(13)
      expect(await findWide(world, statements, { modes: [mode], maxTouches })).toEqual({})
    },
  )
})
