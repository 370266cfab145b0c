import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { leftOut } from './support/slow-tests.ts'

/** The files that take longest: they start first, and the short ones fill the gaps at the end. */
const longest = [
  'http/conformance',
  'package/tarballs',
  'package/recipes',
  'repository/repository',
  'package/examples',
  'package/nest-example',
  'create/apps',
  'histories/switched-off',
  'import/columns',
  'import/interrupt',
  'webhooks/delivery',
  'passkeys/browser',
  'console/browser-screens',
  'http/differential',
  'keys/hostile-issuers',
  'cli/colours',
  'cli/access',
  'cli/events',
  'cli/issuers',
  'keys/remote-jwks',
  'server/standalone-server',
  'server/workers',
  'server/smtp',
  'server/mail-webhook',
  'validator/validator',
  'webhooks/deliverers',
  'faults/swallowed-packets',
  'faults/event-loop',
  'keys/stored-hashes',
  'events/feed-processes',
  'client/retries',
  'within/within',
  'mfa/first-proof',
  'verifiers/verifiers',
  'personal-data/erasure',
  'server/standard-error',
  'faults/sqlite-reader',
  'http/packed',
  'server/capabilities',
  'server/observability',
  'sessions/hashing-turns',
  'package/loading',
  'server/stop',
  'console/browser-operators',
  'console/browser-users',
  'mfa/revoked-credentials',
  'faults/processes',
  'testing/guide',
  'import/import',
  'cli/cli',
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
    expect: { poll: { timeout: 20_000, interval: 10 } },
    // What a file leaves behind in its process, the next one finds: a test that changes it puts it back.
    isolate: false,
    // Many tests wait for a process or a timer: three at a time keep two cores busy.
    maxWorkers: Math.max(3, availableParallelism()),
    sequence: { sequencer: LongestFirst },
  },
})
