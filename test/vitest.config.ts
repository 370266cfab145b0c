import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The files that take longest: they start first, and the short ones fill the gaps at the end. */
const longest = [
  'http/conformance',
  'http/differential',
  'import/interrupt',
  'package/tarballs',
  'package/user-fields',
  'cli/cli',
  'import/columns',
  'keys/stored-hashes',
  'import/import',
  'faults/event-loop',
  'cli/export',
  'server/standalone-server',
  'cli/access',
  'faults/fair-hashing',
  'sessions/hashing-turns',
  'import/files',
  'faults/swallowed-packets',
  'repository/repository',
  'import/guide',
  'package/types',
]

// vitest remembers how long a file took, and a fresh clone remembers nothing.
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const index = longest.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`))
      return index === -1 ? longest.length : index
    }
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: ['bench/**', 'node_modules/**'],
    globalSetup: './support/global-setup.ts',
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // Many tests wait for a process or a timer: three at a time keep two cores busy.
    maxWorkers: Math.max(3, availableParallelism()),
    sequence: { sequencer: LongestFirst },
  },
})
