import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const source = join(import.meta.dirname, '../../packages/cli/src/server/release-memory.ts')
// It takes as a load does, then does nothing, and says how many MiB it held before and after.
const program = `
  import { setTimeout as sleep } from 'node:timers/promises'
  import { releaseMemory } from ${JSON.stringify(source)}
  const read = () => Math.round(process.memoryUsage.rss() / 1024 / 1024)
  let held = Array.from({ length: 400_000 }, (_, index) => ({ index, more: [index] }))
  const before = read()
  held = undefined
  const end = releaseMemory({ everyMilliseconds: 50, idleMilliseconds: 200 })
  for (let tries = 0; tries < 40 && read() > before - 16; tries++) await sleep(50)
  end()
  console.log(JSON.stringify([before, read()]))
`

test('a server that does nothing gives back the memory that a load has taken', async () => {
  const args = ['--max-semi-space-size=16', '--input-type=module', '-e', program]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  const [before = 0, after = 0]: number[] = JSON.parse(stdout)
  expect(before - after).toBeGreaterThanOrEqual(16)
})
