import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { openClientele } from '../support/clientele.ts'
import { execute } from '../support/postgres.ts'
import { report } from '../support/report.ts'
import { newSqliteUrl } from '../support/seed.ts'
import { readResidentMiB } from '../support/server.ts'
import type { Setting } from '../support/setting.ts'

const cli = join(import.meta.dirname, '../../../packages/cli/dist/clientele.js')
const byHand = join(import.meta.dirname, '../servers/import-by-hand.ts')
/** One run takes a minute or two. */
const maxRounds = 3

/**
 * `clientele user import` of NDJSON with hashes beside a hand-written program that reads the same file: prepared
 * inserts, 1,000 a transaction, on SQLite; COPY, 10,000 a transaction, on PostgreSQL. Neither hashes passwords.
 */
export async function importUsers({ postgres, rounds, users }: Setting): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'clientele-bench-'))
  const file = join(folder, 'users.ndjson')
  await pipeline(Readable.from(linesOf(users)), createWriteStream(file))
  for (const name of ['SQLite', 'PostgreSQL'] as const) {
    const rates = { ours: [] as number[], hand: [] as number[] }
    const memory = { ours: 0, hand: 0 }
    for (let round = 0; round < Math.min(rounds, maxRounds); round++) {
      for (const side of round % 2 === 0
        ? (['ours', 'hand'] as const)
        : (['hand', 'ours'] as const)) {
        const url = name === 'SQLite' ? newSqliteUrl() : await postgres.createDatabase()
        const account = await createAccount(url)
        const script = side === 'ours' ? cli : byHand
        const run = ['user', 'import', '--file', file, '--account', account, '--json']
        const result = await measure(script, side === 'ours' ? run : [url, file, account], url)
        rates[side].push(users / result.seconds)
        memory[side] = Math.max(memory[side], result.memoryMiB)
        if (name === 'SQLite') rmSync(url.replace('sqlite:', ''))
        else await execute(url, ['truncate clientele_users cascade'])
      }
    }
    const work = `import, ${name}, ${users.toLocaleString('en')} users`
    report(work, rates.ours, 'by hand', rates.hand, 'users/s', { atLeast: 0.5 })
    const [ours, hand] = [memory.ours, memory.hand].map(Math.round)
    console.log(`resident memory at most: ${ours} MiB; by hand ${hand} MiB`)
  }
  rmSync(folder, { recursive: true })
}

async function createAccount(url: string): Promise<string> {
  const clientele = await openClientele(url)
  const { id } = await clientele.accounts.create({ name: 'Bench' })
  await clientele.close()
  return id
}

async function measure(script: string, args: string[], url: string) {
  const begun = performance.now()
  const child: ChildProcess = spawn(process.execPath, [script, ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DATABASE_URL: url },
  })
  let memoryMiB = 0
  const watch = setInterval(() => {
    memoryMiB = Math.max(memoryMiB, readResidentMiB(child.pid))
  }, 100)
  const [code] = await once(child, 'exit')
  clearInterval(watch)
  if (code !== 0) throw new Error(`${script} ended with ${code}`)
  return { seconds: (performance.now() - begun) / 1000, memoryMiB }
}

function* linesOf(users: number): Generator<string> {
  const hash = '$argon2id$v=19$m=19456,t=2,p=1$TBSwyVqRIC9RmKYW6Dcc+Q$'
  for (let first = 0; first < users; first += 1000) {
    let text = ''
    for (let number = first; number < Math.min(users, first + 1000); number++) {
      // No two in the same alphabetical order as in the file: indexes are filled as they would be in earnest.
      const mixed = ((number * 2_654_435_761) % 2 ** 32).toString(36)
      const password = Buffer.from(`${mixed}${number}`.padEnd(32, 'x'))
        .toString('base64')
        .slice(0, 43)
      text += `${JSON.stringify({
        email: `${mixed}.${number}@example.com`,
        name: `User ${mixed}`,
        roles: number % 10 === 0 ? ['member', 'admin'] : ['member'],
        metadata: { plan: 'pro', seats: number % 50 },
        is_active: number % 20 !== 0,
        created_at: new Date(1_600_000_000_000 + number * 1000).toISOString(),
        password_hash: hash + password,
      })}\n`
    }
    yield text
  }
}
