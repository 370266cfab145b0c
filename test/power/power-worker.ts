// A process of its own that makes a database and changes it: node power-worker.ts <file> <URL of core's index.js> <turns>
// A line on standard output is a step that was acknowledged.

import { writeSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import { takeSteps } from './take-steps.ts'

const [filename = '', core = '', turns = '1'] = process.argv.slice(2)
// The built package, or a copy of it, has the types of its sources.
const { createClientele } = (await import(core)) as typeof import('@clientele/core')
const { sqlite } = (await import(
  new URL('sqlite.js', core).href
)) as typeof import('@clientele/core/sqlite')

const quiet = (): void => {}
const clientele = await createClientele({
  repository: sqlite({ filename }),
  passwords: { hashing: { memoryKiB: 64, passes: 1, lanes: 1 } },
  logger: { info: quiet, warn: quiet, error: quiet },
})
const { id: accountId } = await clientele.accounts.create({ name: 'Acme' })
const other = new Sqlite(filename)
let count = 0
for await (const step of takeSteps(clientele, accountId, Number(turns))) {
  writeSync(1, `${JSON.stringify(step)}\n`)
  // Then the log is written from its start.
  if (++count % 5 === 0) other.pragma('wal_checkpoint(PASSIVE)')
}
process.exit(0)
