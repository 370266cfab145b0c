import { openRepository } from './clientele.ts'
import { loadCoreWithout, type Removal } from './core-without.ts'
import { compare } from './load.ts'
import { report } from './report.ts'
import { newSqliteUrl } from './seed.ts'
import type { Setting } from './setting.ts'
import { createWriter, timeOf, type Writer } from './writer.ts'

interface Comparison {
  works: readonly Exclude<keyof Writer, 'close'>[]
  /** What our own package is compared without */
  removals: readonly Removal[]
  name: string
  atMost: number
}

/** Writes beside our own package without something; time is 1 / throughput of 8 writers. */
export async function compareWrites(
  { postgres, rounds, seconds }: Setting,
  { works, removals, name, atMost }: Comparison,
): Promise<void> {
  const without = await loadCoreWithout(removals)
  for (const database of ['SQLite', 'PostgreSQL'] as const) {
    const newUrl = () => (database === 'SQLite' ? newSqliteUrl() : postgres.createDatabase())
    const ours = await createWriter(await newUrl(), openRepository)
    const bare = await createWriter(await newUrl(), without.openRepository)
    for (const work of works) {
      const figures = await compare(
        { ours: timeOf(ours[work]), bare: timeOf(bare[work]) },
        {
          // Short turns: how fast a disk writes drifts, and what is looked for is a few per cent.
          rounds: rounds * 5,
          // What is deleted has to be created first.
          seconds: (work === 'delete' ? seconds / 2 : seconds) / 5,
          warmupSeconds: work === 'create' ? 2 : 0.2,
        },
      )
      report(`${work}, ${database}`, figures.ours ?? [], name, figures.bare ?? [], 'µs', { atMost })
    }
    await Promise.all([ours.close(), bare.close()])
  }
  await without.remove()
}
