import type { TestDatabase } from '../support/databases.ts'
import { cutConnections, moveClock, restartServer } from './faults.ts'
import type { Fault, Plan } from './record-history.ts'

/** On SQLite one server has the file; on PostgreSQL two serve beside each other. */
export function planFor(
  name: TestDatabase['name'],
  url: string,
  { laneCount, turns, rounds = 1 }: { laneCount: number; turns: number; rounds?: number },
): Plan {
  const faults: Fault[] =
    name === 'sqlite'
      ? [moveClock(0, 40), restartServer(0), moveClock(0, -10)]
      : [moveClock(0, 30), restartServer(1), cutConnections(url), moveClock(0, -10)]
  return {
    url,
    serverCount: name === 'sqlite' ? 1 : 2,
    laneCount,
    turns,
    faults: Array.from({ length: rounds }, () => faults).flat(),
  }
}
