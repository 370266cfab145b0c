import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { leftOut } from './support/slow-tests.ts'

/** The files that take longest: they start first, and the short ones fill the gaps at the end. */
const longest = [
  'http/conformance',
  'package/tarballs',
  'package/user-fields',
  'passkeys/browser',
  'console/browser-screens',
  'console/browser-users',
  'console/browser-operators',
  'http/differential',
  'import/interrupt',
  'cli/cli',
  'import/columns',
  'import/import',
  'server/standalone-server',
  'keys/hostile-issuers',
  'validator/validator',
  'cli/issuers',
  'keys/stored-hashes',
  'keys/remote-jwks',
  'faults/event-loop',
  'webhooks/deliverers',
  'webhooks/delivery',
  'events/feed-processes',
  'repository/repository',
  'client/retries',
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
    exclude: ['bench/**', '**/node_modules/**', ...leftOut],
    globalSetup: './support/global-setup.ts',
    // A test that hangs fails; one that is slow on a busy machine does not.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    // What a file leaves behind in its process, the next one finds: a test that changes it puts it back.
    isolate: false,
    // Many tests wait for a process or a timer: three at a time keep two cores busy.
    maxWorkers: Math.max(3, availableParallelism()),
    sequence: { sequencer: LongestFirst },
  },
})
