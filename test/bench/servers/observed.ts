// node servers/observed.ts <SQLite URL> <an observer of support/observers.ts, or "without">
import { createClientele } from '@clientele/core'
import { benchSecret, openRepository } from '../support/clientele.ts'
import { loadCoreWithout, observation } from '../support/core-without.ts'
import { serveClientele } from '../support/frameworks.ts'
import { observers } from '../support/observers.ts'

const [url = '', name = ''] = process.argv.slice(2)
const isWithout = name === 'without'
const core = isWithout ? await loadCoreWithout(observation) : { createClientele, openRepository }
const clientele = await core.createClientele({
  repository: core.openRepository(url),
  secrets: [benchSecret],
  observers: isWithout ? [] : ((await observers[name]?.()) ?? []),
})
if ('remove' in core) await core.remove()
console.log(await serveClientele('fastify', clientele))
process.on('SIGTERM', () => process.exit(0))
