import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { report } from '../support/report.ts'
import type { Setting } from '../support/setting.ts'

const bench = join(import.meta.dirname, '..')

const apps = {
  ours: `import { createClientele } from '@clientele/core'
import { sqlite } from '@clientele/core/sqlite'
const clientele = await createClientele({ repository: sqlite({ filename: 'users.sqlite' }) })
const account = await clientele.accounts.create({ name: 'Acme' })
const { user } = await clientele.users.create(account.id, { name: 'Ada', email: 'ada@example.com', password: 'secret' })
const page = await clientele.users.list(account.id, { sort: '-createdAt', limit: 20 })
export const found: { name: string; total: number } = { name: user.name, total: page.total }
`,
  peer: `import { apiKey } from '@better-auth/api-key'
import { betterAuth } from 'better-auth'
import { bearer } from 'better-auth/plugins'
import Sqlite from 'better-sqlite3'
const auth = betterAuth({
  database: new Sqlite('users.sqlite') as never,
  emailAndPassword: { enabled: true },
  plugins: [apiKey(), bearer()],
})
const { user } = await auth.api.signUpEmail({ body: { name: 'Ada', email: 'ada@example.com', password: 'secret password' } })
const session = await auth.api.getSession({ headers: new Headers() })
export const found: { name: string; email: string | undefined } = { name: user.name, email: session?.user.email }
`,
}

/** What the compiler does for a small app that uses the library. */
export async function checkTypes({ rounds }: Setting): Promise<void> {
  const folder = mkdtempSync(join(bench, 'node_modules/.types-'))
  const options = {
    strict: true,
    noEmit: true,
    module: 'nodenext',
    target: 'es2024',
    skipLibCheck: true,
    types: [],
    lib: ['es2024', 'dom'],
  }
  const figures = { ours: [] as Diagnostics[], peer: [] as Diagnostics[] }
  for (const name of ['ours', 'peer'] as const) {
    writeFileSync(join(folder, `${name}.ts`), apps[name])
    writeFileSync(
      join(folder, `${name}.json`),
      JSON.stringify({ compilerOptions: options, files: [`${name}.ts`] }),
    )
  }
  for (let round = 0; round < rounds; round++) {
    for (const name of ['ours', 'peer'] as const)
      figures[name].push(diagnose(join(folder, `${name}.json`)))
  }
  rmSync(folder, { recursive: true })
  for (const [figure, unit] of [
    ['instantiations', ''],
    ['checkSeconds', 's'],
    ['totalSeconds', 's'],
  ] as const) {
    const of = (list: Diagnostics[]) => list.map((diagnostics) => diagnostics[figure])
    report(
      `type-check of a small app, ${figure}`,
      of(figures.ours),
      'better-auth',
      of(figures.peer),
      unit,
      {
        atMost: 0.5,
      },
    )
  }
}

interface Diagnostics {
  instantiations: number
  checkSeconds: number
  totalSeconds: number
}

function diagnose(project: string): Diagnostics {
  const tsc = join(bench, 'node_modules/typescript/bin/tsc')
  const { stdout, status } = spawnSync(
    process.execPath,
    [tsc, '-p', project, '--extendedDiagnostics'],
    {
      encoding: 'utf8',
    },
  )
  if (status !== 0) throw new Error(stdout)
  const read = (label: string) =>
    Number(new RegExp(`^${label}:\\s+([\\d.]+)`, 'm').exec(stdout)?.[1])
  return {
    instantiations: read('Instantiations'),
    checkSeconds: read('Check time'),
    totalSeconds: read('Total time'),
  }
}
