// npm run bench -- [scenario …, or guard, or citus] [--rounds 5] [--seconds 3] [--users 1000000] [--database PostgreSQL]
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { startPostgres } from './support/postgres.ts'
import { printTable } from './support/report.ts'
import type { Setting } from './support/setting.ts'

const scenarios: Record<string, () => Promise<(setting: Setting) => Promise<void>>> = {
  'validate-token': async () => (await import('./scenarios/validate-token.ts')).validateTokens,
  'in-process': async () => (await import('./scenarios/in-process.ts')).validateInProcess,
  validator: async () => (await import('./scenarios/validator.ts')).validateByValidator,
  list: async () => (await import('./scenarios/list.ts')).listUsers,
  overview: async () => (await import('./scenarios/overview.ts')).readOverviews,
  write: async () => (await import('./scenarios/write.ts')).writeUsers,
  observability: async () => (await import('./scenarios/observability.ts')).observeRequests,
  events: async () => (await import('./scenarios/events.ts')).recordEvents,
  webhooks: async () => (await import('./scenarios/webhooks.ts')).deliverWebhooks,
  accounts: async () => (await import('./scenarios/accounts.ts')).serveAccounts,
  'sign-in': async () => (await import('./scenarios/sign-in.ts')).signIn,
  start: async () => (await import('./scenarios/start.ts')).startUp,
  types: async () => (await import('./scenarios/types.ts')).checkTypes,
  import: async () => (await import('./scenarios/import.ts')).importUsers,
  kysely: async () => (await import('./scenarios/kysely.ts')).useKysely,
  processes: async () => (await import('./scenarios/processes.ts')).spreadOverProcesses,
}
/** Only where they are asked for: the guard's figures are those of the others, in short; the price needs a cluster */
const asked: typeof scenarios = {
  guard: async () => (await import('./scenarios/guard.ts')).guardSpeed,
  citus: async () => (await import('./scenarios/citus.ts')).priceCitus,
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    users: { type: 'string', default: '1000000' },
    database: { type: 'string' },
  },
})
const names = positionals.length > 0 ? positionals : Object.keys(scenarios)
const unknown = names.filter((name) => !(name in scenarios) && !(name in asked))
if (unknown.length > 0) {
  console.error(
    `No such scenario: ${unknown.join(', ')}. There are: ${Object.keys(scenarios).join(', ')}.`,
  )
  process.exit(2)
}

const postgres = await startPostgres()
const setting: Setting = {
  postgres,
  rounds: Number(values.rounds),
  seconds: Number(values.seconds),
  users: Number(values.users),
  databases: (['SQLite', 'PostgreSQL'] as const).filter(
    (name) => name === (values.database ?? name),
  ),
}
console.log(
  `Node ${process.version}, ${availableParallelism()} cores, ${setting.rounds} rounds of ${setting.seconds} s`,
)
let failed = false
try {
  for (const name of names) {
    console.log(`\n# ${name}`)
    const run = await (asked[name] ?? scenarios[name])?.()
    await run?.(setting)
  }
} catch (error) {
  failed = true
  console.error(error)
}
printTable()
await postgres.stop()
// Servers that a failure left behind would keep the process alive.
process.exit(failed ? 1 : 0)
