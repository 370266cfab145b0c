// A process of its own that says how long it held its event loop: node loop-worker.ts <url>, with a channel to its parent.
// It serves HTTP, and makes the calls of hostile-calls.ts when it is told to.

import { createServer } from 'node:http'
import { createClientele } from '@clientele/core'
import { openRepository } from '@clientele/core/database-url'
import { clienteleListener } from '@clientele/core/node'
import { scimRoutes } from '@clientele/scim'
import { scopes } from '../../packages/core/src/base/call/scope.ts'
import { hostileCalls } from './hostile-calls.ts'
import type { WorkerMessage, WorkerTask } from './loop-watch.ts'

const [databaseUrl = ''] = process.argv.slice(2)
const clientele = await createClientele({
  repository: await openRepository(databaseUrl),
  secrets: ['a secret of the tests, 32 characters'],
  rateLimits: { store: 'memory' },
  sendMail: async () => {},
})
const { id: accountId } = await clientele.accounts.create({ name: 'Acme' })
const { apiKey } = await clientele.apiKeys.create(accountId, { scopes: [...scopes] })

const answer = clienteleListener(clientele)
const answerScim = clienteleListener(scimRoutes(clientele))
const server = createServer((req, res) =>
  (req.url?.startsWith('/scim/') ? answerScim : answer)(req, res),
)
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

/** What this thread has worked, in milliseconds: what other processes take of the machine does not count. */
function readWork(): number {
  // From Node 23.9 on; before that the clock has to do.
  if (process.threadCpuUsage === undefined) return performance.now()
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

let isWatching = false
let before = 0
let longest = 0

function watchTurn(): void {
  const now = readWork()
  longest = Math.max(longest, now - before)
  before = now
  if (isWatching) setImmediate(watchTurn)
}

const tasks = {
  /** From the next turn of the loop on, each turn is measured. */
  watch: async () => {
    isWatching = true
    await new Promise(setImmediate)
    before = readWork()
    longest = 0
    setImmediate(watchTurn)
    return {}
  },
  read: async () => {
    isWatching = false
    await new Promise(setImmediate)
    return { milliseconds: longest }
  },
  call: async (name = '') => {
    const call = hostileCalls[name]
    if (call === undefined) throw new Error(`There is no call ${name}.`)
    return {
      outcome: await call(clientele, accountId).then(
        () => 'done',
        (error) => String(error.code),
      ),
    }
  },
}

const send = (message: WorkerMessage): void => void process.send?.(message)
process.on('message', async ({ task, name }: WorkerTask) => send(await tasks[task](name)))
const address = server.address()
if (address === null || typeof address === 'string') throw new Error('The server has no port.')
send({ accountId, apiKey, port: address.port })
