import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { seedBetterAuth } from '../support/better-auth.ts'
import { applyLoad, type Load } from '../support/load.ts'
import { report } from '../support/report.ts'
import { newSqliteUrl, seedClientele } from '../support/seed.ts'
import { type RunningServer, startServer } from '../support/server.ts'
import type { Setting } from '../support/setting.ts'

const bench = join(import.meta.dirname, '..')
/** As `npm start` has it: better-auth is measured as Node is by default, and with the same. */
const flags = ['--max-semi-space-size=16']

/** Time to import the library with one database, and resident memory of a server, idle and under load. */
export async function startUp({ rounds, seconds }: Setting): Promise<void> {
  const times = { ours: [] as number[], peer: [] as number[] }
  for (let round = 0; round < rounds + 1; round++) {
    const ours = importTime(['@clientele/core', '@clientele/core/sqlite'])
    const peer = importTime([
      'better-auth',
      '@better-auth/api-key',
      'better-auth/node',
      'better-sqlite3',
    ])
    if (round === 0) continue // the first one reads from a cold disk
    times.ours.push(ours)
    times.peer.push(peer)
  }
  report('import, SQLite', times.ours, 'better-auth', times.peer, 'ms', { atMost: 0.6 })

  const [ourUrl, peerUrl] = [newSqliteUrl(), newSqliteUrl()]
  const ours = await seedClientele(ourUrl, 200)
  const peer = await seedBetterAuth(peerUrl, ours.users.slice(0, 20))
  const memory = {
    ourIdle: [] as number[],
    ourBusy: [] as number[],
    peerIdle: [] as number[],
    peerBusy: [] as number[],
    flaggedIdle: [] as number[],
    flaggedBusy: [] as number[],
  }
  for (let round = 0; round < rounds; round++) {
    const environment = {
      DATABASE_URL: ourUrl,
      CLIENTELE_SECRET: 'a secret of the benchmark of thirty-two characters',
      PORT: '0',
      LOG_LEVEL: 'error',
    }
    const script = '../../packages/cli/dist/clientele.js'
    const our = await startServer(script, [], environment, flags)
    const base = our.url
    const [idle, busy] = await measure(
      { ...our, url: new URL(base).origin },
      load(ours, '/api/v1'),
      seconds,
    )
    memory.ourIdle.push(idle)
    memory.ourBusy.push(busy)
    for (const [idleOf, busyOf, theirFlags] of [
      [memory.peerIdle, memory.peerBusy, []],
      [memory.flaggedIdle, memory.flaggedBusy, flags],
    ] as const) {
      const other = await startServer('servers/better-auth.ts', [peerUrl], {}, [...theirFlags])
      const [peerIdle, peerBusy] = await measure(other, load(peer, ''), seconds)
      idleOf.push(peerIdle)
      busyOf.push(peerBusy)
    }
  }
  report('resident memory, idle', memory.ourIdle, 'better-auth', memory.peerIdle, 'MiB', {
    atMost: 0.6,
  })
  report('resident memory, under load', memory.ourBusy, 'better-auth', memory.peerBusy, 'MiB', {
    atMost: 0.6,
  })
  const flagged = 'better-auth with our flag'
  report('resident memory, idle', memory.ourIdle, flagged, memory.flaggedIdle, 'MiB', {})
  report('resident memory, under load', memory.ourBusy, flagged, memory.flaggedBusy, 'MiB', {})
}

function importTime(modules: string[]): number {
  const imports = modules.map((name) => `await import(${JSON.stringify(name)})`).join('\n')
  const code = `const start = performance.now()\n${imports}\nprocess.stdout.write(String(performance.now() - start))`
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    cwd: bench,
    encoding: 'utf8',
  })
  return Number(stdout)
}

async function measure(
  server: RunningServer,
  request: Load,
  seconds: number,
): Promise<[idle: number, busy: number]> {
  await applyLoad(server.url, { ...request, connections: 1 }, 0.2)
  const idle = server.memory()
  let busy = 0
  const watch = setInterval(() => {
    busy = Math.max(busy, server.memory())
  }, 100)
  await applyLoad(server.url, request, seconds)
  clearInterval(watch)
  await server.stop()
  return [idle, busy]
}

function load({ apiKey, tokens }: { apiKey: string; tokens: string[] }, prefix: string): Load {
  return {
    path: `${prefix}/client/user/auth/validation-token`,
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    bodies: tokens.map((token) => JSON.stringify({ token: `Bearer ${token}` })),
  }
}
