import { availableParallelism } from 'node:os'
import { applyLoad, compare, type Load } from '../support/load.ts'
import { report } from '../support/report.ts'
import { seedClientele } from '../support/seed.ts'
import { startServer } from '../support/server.ts'
import type { Setting } from '../support/setting.ts'

/** Token validation by one, two and four processes on one PostgreSQL, the load spread over them. */
export async function spreadOverProcesses({ postgres, rounds, seconds }: Setting): Promise<void> {
  const url = await postgres.createDatabase()
  const { apiKey, tokens } = await seedClientele(url, 200)
  const servers = await Promise.all(
    Array.from({ length: 4 }, () => startServer('servers/clientele.ts', ['fastify', url])),
  )
  const load: Load = {
    path: '/client/user/auth/validation-token',
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    bodies: tokens.map((token) => JSON.stringify({ token: `Bearer ${token}` })),
  }
  const throughput = (processes: number) => async (duration: number) => {
    const connections = 64 / processes
    const results = await Promise.all(
      servers
        .slice(0, processes)
        .map((server) => applyLoad(server.url, { ...load, connections }, duration)),
    )
    return results.reduce((sum, { perSecond }) => sum + perSecond, 0)
  }
  const figures = await compare(
    { one: throughput(1), two: throughput(2), four: throughput(4) },
    { rounds, seconds },
  )
  const cores = availableParallelism()
  const note = `${cores} cores shared with PostgreSQL and the load`
  // Where PostgreSQL and the load take what cores there are, a second process has none to grow into.
  const target = cores > 4 ? { atLeast: 1.5 } : {}
  report(`two processes, ${note}`, figures.two ?? [], 'one', figures.one ?? [], '/s', target)
  report(`four processes, ${note}`, figures.four ?? [], 'one', figures.one ?? [], '/s', target)
  await Promise.all(servers.map((server) => server.stop()))
}
