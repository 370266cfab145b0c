import { postgres } from '@clientele/core/postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Clock, openClientele } from '../http/support/world.ts'
import { describeRepositoryContract } from '../repository/repository-contract.ts'
import { logIn } from '../support/log-in.ts'
import { runSql } from '../support/run-sql.ts'
import {
  citusUrl,
  type DistributedTables,
  moveShards,
  openDistributed,
} from './open-distributed.ts'

if (citusUrl === '') test.skip('a Citus cluster (skipped: CITUS_URL names none)', () => {})
else describe('a Citus cluster whose servers are asked themselves', describeDirectReads)

function describeDirectReads(): void {
  const open = (url: string) => postgres({ connectionString: url, directReads: true })
  const warnings: string[] = []
  const noteWarning = ({ message }: Error) => warnings.push(message)
  beforeAll(() => void process.on('warning', noteWarning))
  afterAll(() => {
    process.off('warning', noteWarning)
    expect(warnings.filter((message) => message.includes('cluster'))).toEqual([])
  })

  describe('the contract of the repository', () =>
    describeRepositoryContract(async () => {
      const tables = await openDistributed()
      const [repository, another] = [open(tables.url), open(tables.url)]
      await repository.storage.migrate()
      await another.storage.migrate()
      return {
        repository,
        openAnother: () => another,
        close: async () => {
          await another.storage.close()
          await repository.storage.close()
          await tables.close()
        },
      }
    }))

  describe('an account', () => {
    let tables: DistributedTables
    let clientele: Awaited<ReturnType<typeof openClientele>>
    beforeAll(async () => {
      tables = await openDistributed()
      clientele = await openClientele('', new Clock(), { repository: open(tables.url) })
    })
    afterAll(async () => {
      await clientele.close()
      await tables.close()
    })
    const password = 'correct horse'
    const newUser = () => ({ name: 'Ada', email: `${crypto.randomUUID()}@example.com`, password })
    /** How many of the newest statements on the workers were direct reads */
    const countDirect = async () => {
      const [row] = (await runSql(
        citusUrl,
        `select sum(cast(result as integer)) as count from run_command_on_workers(
           $$select count(*) from pg_stat_activity where query like 'select case when exists (%pg_dist_placement%'$$)`,
      )) as [{ count: string }] // what it selects
      return Number(row.count)
    }

    test('is read by its own server', async () => {
      const { id } = await clientele.accounts.create({ name: 'Acme' })
      await clientele.users.create(id, newUser())
      await clientele.users.list(id)
      expect(await countDirect()).toBeGreaterThan(0)
    })

    test('is seen as soon as it is acknowledged, and all that changes with it', async () => {
      for (let count = 0; count < 30; count++) {
        // Two servers take part: the slug is on the coordinator.
        const { id } = await clientele.accounts.create({ name: 'Acme', slug: `acme-${count}` })
        const user = newUser()
        const created = await clientele.users.create(id, user)
        expect((await clientele.users.list(id)).total).toBe(1)
        const { token } = await logIn(clientele, id, user)
        expect((await clientele.auth.validateToken(id, token)).user.id).toBe(created.user.id)
        await clientele.users.replace(id, created.user.id, { ...user, isActive: false })
        await expect(clientele.auth.validateToken(id, token)).rejects.toMatchObject({ status: 401 })
      }
    })

    test('that moves to another server meanwhile is read as it is', async () => {
      const ids: string[] = []
      for (let count = 0; count < 6; count++)
        ids.push((await clientele.accounts.create({ name: 'Moving' })).id)
      let isMoving = true
      const wrong: unknown[] = []
      let reads = 0
      const reading = ids.map(async (id) => {
        for (let written = 0; isMoving; ) {
          // A create that is refused may have happened.
          const isWritten = await clientele.users.create(id, newUser()).then(
            () => true,
            () => false,
          )
          if (isWritten) written++
          const { total } = await clientele.users.list(id).catch(() => ({ total: written }))
          if (total < written) wrong.push([id, written, total])
          written = total
          reads++
        }
      })
      expect(await moveShards(tables)).toBeGreaterThan(1)
      isMoving = false
      await Promise.all(reading)
      expect(wrong).toEqual([])
      expect(reads).toBeGreaterThan(ids.length)
    }, 120_000)
  })
}
