import { applyLoad, compare } from '../support/load.ts'
import { observers } from '../support/observers.ts'
import { report } from '../support/report.ts'
import { newSqliteUrl, seedClientele } from '../support/seed.ts'
import { type RunningServer, startServer } from '../support/server.ts'
import type { Setting } from '../support/setting.ts'
import { loadOfValidation } from './validate-token.ts'

/** The cost of observers for a validation, with and without any: requests per second of CPU time. */
export async function observeRequests({ rounds, seconds }: Setting): Promise<void> {
  const url = newSqliteUrl()
  const seed = await seedClientele(url, 50)
  const servers = new Map<string, RunningServer>()
  for (const name of ['without', ...Object.keys(observers)])
    servers.set(name, await startServer('servers/observed.ts', [url, name], {}, [], 'ignore'))
  const contenders = [...servers].map(([name, server]) => [
    name,
    async (time: number) => {
      const before = server.cpuSeconds()
      const { perSecond } = await applyLoad(server.url, loadOfValidation(seed), time)
      return (perSecond * time) / (server.cpuSeconds() - before)
    },
  ])
  const figures = await compare(Object.fromEntries(contenders), { rounds, seconds })
  const { without = [], nobody = [], ...others } = figures
  const unit = '/CPU s'
  report('validation, nobody observes', nobody, 'without', without, unit, { atLeast: 0.97 })
  for (const [name, figure] of Object.entries(others))
    report(`validation, ${name}`, figure, 'nobody', nobody, unit, { atLeast: 0.9 })
  for (const server of servers.values()) await server.stop()
}
