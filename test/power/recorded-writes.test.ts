import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test, vi } from 'vitest'
import { findParent } from '../support/find-parent.ts'
import { type Edit, mutateCore } from '../support/mutated-packages.ts'
import { checkState, type Step } from './check-state.ts'
import { type Arrived, Disk } from './disk.ts'
import { type FileCall, readTrace, traceOptions } from './read-trace.ts'

vi.setConfig({ testTimeout: 600_000 })

const run = promisify(execFile)
/** Debian's program; not every machine has it. */
const strace = 'strace'
const hasStrace = spawnSync(strace, ['-V']).status === 0
const turns = 4

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(await findParent(), 'clientele-power-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Runs a process that makes a database in a new folder and changes it; returns its calls. */
async function record(core: string, root: string, filename: string): Promise<FileCall[]> {
  const trace = join(await makeFolder(), 'trace')
  const worker = join(import.meta.dirname, 'power-worker.ts')
  const command = [process.execPath, worker, filename, core, String(turns)]
  await run(strace, [...traceOptions, '-o', trace, ...command], {
    env: { PATH: process.env.PATH },
  })
  return readTrace(await readFile(trace, 'utf8'), root)
}

const all = (): boolean => true
const none = (): boolean => false
const isLog = (path: string): boolean => path.endsWith('-wal')

/** What may have arrived of what was not synced. */
const arrivals: readonly Arrived[] = [
  { names: false, contents: none },
  { names: false, contents: all },
  { names: true, contents: none },
  { names: true, contents: all },
  { names: true, contents: all, isTorn: true },
  { names: true, contents: isLog },
  { names: true, contents: (path) => !isLog(path) },
]

/**
 * Returns what is wrong in the states in which a power cut after one of the calls can leave the disk.
 *
 * @param wanted ends the search
 */
async function findFaults(
  core: string,
  wanted?: string,
): Promise<{ faults: string[]; states: number }> {
  const root = await makeFolder()
  const filename = join(root, 'data/deep/users.sqlite')
  const calls = await record(core, root, filename)
  const steps = calls.flatMap(
    (call) => (call.kind === 'tell' ? [JSON.parse(call.text) as Step] : []), // the worker's lines
  )
  expect(steps.length).toBeGreaterThan(3 * turns)
  const secret = await readFile(`${filename}.secret`, 'utf8')
  const disk = new Disk(root)
  const folder = await makeFolder()
  const faults: string[] = []
  let states = 0
  let count = 0
  for (const call of calls) {
    if (call.kind === 'tell') count++
    else if (!disk.apply(call)) continue
    // After a sync it is the same whatever arrived.
    const seen: (Buffer | boolean | undefined)[][] = []
    for (const [index, arrived] of arrivals.entries()) {
      const read = (suffix: string) => disk.read(filename + suffix, arrived)
      const hasSecret = read('.secret')?.toString() === secret
      const state = { main: read(''), wal: read('-wal'), journal: read('-journal'), hasSecret }
      const parts = Object.values(state)
      if (seen.some((others) => others.every((other, place) => other === parts[place]))) continue
      seen.push(parts)
      const found = checkState(folder, state, steps.slice(0, count), steps[count])
      faults.push(
        ...found.map((fault) => `${count} steps, ${call.kind}, arrival ${index}: ${fault}`),
      )
      states++
      if (wanted !== undefined && faults.at(-1)?.includes(wanted)) return { faults, states }
    }
  }
  return { faults, states }
}

test.skipIf(!hasStrace)(
  'from recorded writes and syncs, each state after a power cut is sound and has all acknowledged steps (needs strace)',
  async () => {
    const { faults, states } = await findFaults(import.meta.resolve('@clientele/core'))
    expect(faults).toEqual([])
    expect(states).toBeGreaterThan(500)
  },
)

const switchedOff: [what: string, edits: readonly Edit[], fault: string][] = [
  ['commits are not synced', [['synchronous = FULL', 'synchronous = NORMAL']], 'has no event'],
  ['folders are not synced', [['syncFolder(above);', '']], 'the database is gone'],
  [
    'the name of the secret is not synced',
    [[/syncFolder\(dirname\d*\(file\d*\)\);/g, ';']],
    'a key is there without the secret',
  ],
  [
    'the secret is not synced',
    [['mode: 384, flush: true', 'mode: 384']],
    'a key is there without the secret',
  ],
]

test.skipIf(!hasStrace).each(switchedOff)(
  'it is found that %s (needs strace)',
  async (_, edits, fault) => {
    const mutated = await mutateCore(edits)
    onTestFinished(mutated.remove)
    const { faults } = await findFaults(mutated.url, fault)
    expect(faults.at(-1)).toContain(fault)
  },
)
