import { expect, onTestFinished, test, vi } from 'vitest'
import { PostgresPair } from '../faults/postgres-pair.ts'
import { repositoryOf } from '../support/open-repository.ts'
import { runSql } from '../support/run-sql.ts'
import { checkHistory } from './check-history.ts'
import { moveClock, restartServer } from './faults.ts'
import { type Fault, recordHistory } from './record-history.ts'

vi.setConfig({ testTimeout: 600_000 })

test('what clients saw while a standby took the place of its primary breaks no promise', async () => {
  const pair = await PostgresPair.open()
  onTestFinished(() => pair.close())
  // An asynchronous standby may lack the last commits: what was acknowledged then is lost.
  await runSql(
    pair.urlOf(0),
    "alter system set synchronous_standby_names = '*'",
    'select pg_reload_conf()',
  )
  const url = `${pair.urlOfPorts(pair.ports)}?target_session_attrs=read-write`
  const repository = repositoryOf(pair.urlOf(0))
  await repository.storage.migrate()
  await repository.storage.close()
  const failOver: Fault = async () => {
    await pair.stop(0)
    await runSql(
      pair.urlOf(1),
      'alter system reset synchronous_standby_names',
      'select pg_reload_conf()',
      'select pg_promote()',
    )
  }
  const faults = [moveClock(0, 1), restartServer(0), failOver, restartServer(1), moveClock(1, -3)]
  const history = await recordHistory({ url, serverCount: 2, laneCount: 4, turns: 6, faults })
  expect(checkHistory(history)).toEqual({})
  expect(history.operations.filter(({ told }) => told === undefined).length).toBeGreaterThan(0)
})
