import { cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'

/** The share of the machine's CPU time that goes to other work, measured while this process waits: 0 to 1 */
export async function measureOtherWork(milliseconds = 2_000): Promise<number> {
  const before = readTimes()
  await sleep(milliseconds)
  const after = readTimes()
  return (after.busy - before.busy) / Math.max(after.all - before.all, 1)
}

function readTimes(): { busy: number; all: number } {
  const times = cpus().map((cpu) => cpu.times)
  const all = times.flatMap((each) => Object.values(each)).reduce((sum, each) => sum + each, 0)
  return { all, busy: all - times.reduce((sum, { idle }) => sum + idle, 0) }
}
