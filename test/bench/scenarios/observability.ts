import { cpuPace, loadByCpu, validation } from '../support/cpu-load.ts'
import { compare } from '../support/load.ts'
import { observers } from '../support/observers.ts'
import { report } from '../support/report.ts'
import { newSqliteUrl, seedClientele } from '../support/seed.ts'
import { type RunningServer, startServer } from '../support/server.ts'

/** What a validation may keep of its speed where it is observed */
const targets: Record<string, number> = {
  'access line': 0.95,
  Prometheus: 0.95,
  'OpenTelemetry, metrics': 0.9,
  'OpenTelemetry, spans': 0.85,
  'OpenTelemetry, spans of one in a hundred': 0.95,
}

/** The cost of observers for a validation, with and without any: requests per second of CPU time. */
export async function observeRequests(): Promise<void> {
  const url = newSqliteUrl()
  const seed = await seedClientele(url, 50)
  const servers = new Map<string, RunningServer>()
  for (const name of ['without', ...Object.keys(observers)])
    servers.set(name, await startServer('servers/observed.ts', [url, name], {}, [], 'ignore'))
  const contenders = [...servers].map(([name, server]) => [
    name,
    loadByCpu(server, validation(seed)),
  ])
  const figures = await compare(Object.fromEntries(contenders), { ...cpuPace, rounds: 40 })
  const { without = [], nobody = [], ...others } = figures
  const of = (atLeast: number | undefined) => ({ isQuiet: true, ...(atLeast && { atLeast }) })
  report('validation, nobody observes', nobody, 'without', without, '/CPU s', of(0.97))
  for (const [name, figure] of Object.entries(others))
    report(`validation, ${name}`, figure, 'nobody', nobody, '/CPU s', of(targets[name]))
  for (const server of servers.values()) await server.stop()
}
