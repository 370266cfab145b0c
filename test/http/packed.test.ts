import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { databases } from '../support/databases.ts'
import { runsEveryTest } from '../support/slow-tests.ts'
import { cliScript, startProcess } from '../support/start-process.ts'
import { hostCases } from './cases/host.ts'
import { contractParts } from './http-contract.ts'
import { time } from './support/answers.ts'
import { FileClock } from './support/file-clock.ts'
import {
  type Combination,
  createTenant,
  openClientele,
  openMailing,
  World,
} from './support/world.ts'
import { prefixOf, type Target } from './targets/target.ts'

// The packed `clientele`, installed by npm in an empty folder, answers as the routes do that the other targets mount. It has
// no routes of a host's own. `npm test` tries one case of each part, `.ci/run` all.
const parts = contractParts.filter((cases) => cases !== hostCases)
const cases = runsEveryTest ? parts.flat() : parts.flatMap(([first]) => first ?? [])

const secret = 'a secret of the tests that is long enough'

const target: Target = {
  name: 'packed clientele',
  deviations: [],
  start: () => Promise.reject(new Error('It is a process of its own.')),
}

describe.each(databases)('the packed clientele on $name', (database) => {
  let combination: Combination
  let close: () => Promise<void>

  beforeAll(async () => {
    const opened = await database.open()
    const folder = await mkdtemp(join(tmpdir(), 'clientele-clock-'))
    const clock = new FileClock(join(folder, 'clock'))
    const clientele = await openClientele(opened.url, clock, { secrets: [secret] })
    const running = startProcess(cliScript, [], {
      PORT: '0',
      DATABASE_URL: opened.url,
      CLIENTELE_SECRET: secret,
      CLOCK_FILE: clock.path,
      DATABASE_CLOCK: 'false',
      LOG_LEVEL: 'silent',
      NODE_OPTIONS: `--import=${join(import.meta.dirname, 'support/follow-clock.ts')}`,
    })
    const [, origin = ''] = await running.waitFor(/^Listening on (http:\/\/[^/]+)\/api\/v1$/m)
    const server = { origin, prefix: prefixOf('prefix'), close: () => close() }
    const mailing = await openMailing(opened.url, clock, { secrets: [secret] })
    const openAnother: Combination['openAnother'] = (more) =>
      openClientele(opened.url, clock, { secrets: [secret], ...more })
    const processes = { clientele, mailing, openAnother }
    combination = { target, mounting: 'prefix', server, clock, ...processes }
    close = async () => {
      running.child.kill('SIGTERM')
      await running.ended
      await clientele.close()
      await mailing.clientele.close()
      clock.close()
      await opened.close()
      await rm(folder, { recursive: true })
    }
  })
  afterAll(() => close())

  test.each(cases)('$name', async ({ name, run }) => {
    combination.clock.now = Date.parse(time)
    await run(new World(combination, await createTenant(combination.clientele), name))
  })
})
