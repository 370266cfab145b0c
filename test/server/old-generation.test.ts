import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { startServer } from '../support/start-server.ts'
import { findServer } from './load.ts'

const requests = 3_000
const environment = {
  PORT: '0',
  CLIENTELE_SECRET: 'a secret for tests that is long enough',
  LOG_LEVEL: 'error',
  NODE_OPTIONS: '--max-semi-space-size=16 --inspect=127.0.0.1:0',
}

/** Evaluates expressions in a process, and collects its garbage, by the protocol of Node's inspector. */
async function inspect(url: string) {
  const socket = new WebSocket(url)
  await once(socket, 'open')
  onTestFinished(() => socket.close())
  let count = 0
  const send = async (method: string, params: object = {}) => {
    const id = ++count
    socket.send(JSON.stringify({ id, method, params }))
    for (;;) {
      const [{ data }] = await once(socket, 'message')
      const answer = JSON.parse(data)
      if (answer.id === id) return answer.result
    }
  }
  const oldBytes = `process.getBuiltinModule('v8').getHeapSpaceStatistics()
    .find(({ space_name }) => space_name === 'old_space').space_used_size`
  return {
    collectGarbage: () => send('HeapProfiler.collectGarbage'),
    readOldMiB: async () => {
      const { result } = await send('Runtime.evaluate', { expression: oldBytes })
      return result.value / 1024 / 1024
    },
  }
}

// V8 links the old tables of a set or a map to the new ones. If requests are in one when it is made anew, and one of its tables
// is in the old generation, then each later request gets there, too, and stays until that is collected: this took a quarter
// of the speed. PostgreSQL has more requests under way at a time, of which some get there.
test('requests leave nothing in the old generation', async () => {
  const running = startServer({ ...environment, DATABASE_URL: 'sqlite::memory:' })
  onTestFinished(async () => {
    running.child.kill('SIGTERM')
    await running.ended
  })
  const { base, key } = await findServer(running)
  const [url = ''] = /ws:\S+/.exec(running.errors()) ?? []
  const { collectGarbage, readOldMiB } = await inspect(url)
  const headers = { authorization: `Bearer ${key}` }
  const load = () =>
    Promise.all(
      Array.from({ length: 10 }, async () => {
        for (let count = 0; count < requests / 10; count++) {
          const response = await fetch(`${base}/client/user?limit=1`, { headers })
          expect(response.status).toBe(200)
          await response.arrayBuffer()
        }
      }),
    )
  // Code is compiled, and what is kept is there.
  await load()
  // While requests are under way, what is known of them gets into the old generation.
  const loaded = load()
  for (let count = 0; count < 5; count++) await collectGarbage()
  await loaded
  // The young generation grows to its full size.
  await load()
  const before = await readOldMiB()
  await load()
  expect(await readOldMiB()).toBeLessThan(before + 2)
}, 60_000)
