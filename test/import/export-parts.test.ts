import { Readable } from 'node:stream'
import type { Clientele } from '@clientele/core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { Call } from '../../packages/core/src/base/call/call.ts'
import { FairLimit } from '../../packages/core/src/base/runtime/fair-limit.ts'
import { exportPage } from '../../packages/core/src/capabilities/import-export/export-users.ts'
import type { ImportExportServices } from '../../packages/core/src/capabilities/import-export/services.ts'
import { createTenant, openClientele } from '../http/support/world.ts'
import { newUser } from '../repository/world.ts'
import { watchTurns } from '../support/watch-turns.ts'

const userCount = 200
const metadata = { text: 'x'.repeat(8_000) }

let clientele: Clientele
beforeAll(async () => {
  clientele = await openClientele('sqlite::memory:')
})
afterAll(() => clientele.close())

async function* makeLargeUsers() {
  for (let line = 1; line <= userCount; line++)
    yield { line, value: { name: 'Ada', email: `person-${line}@example.com`, metadata } }
}

async function openExports(count: number) {
  const { key, account } = await createTenant(clientele)
  await clientele.users.import(account.id, makeLargeUsers())
  const headers = { authorization: `Bearer ${key}` }
  const open = () =>
    clientele.handle({
      ...{ method: 'GET', url: '/client/user/export', mountPath: '', headers },
      rawHeaders: Object.entries(headers).flat(),
      body: Readable.from([]),
    })
  return Promise.all(Array.from({ length: count }, open))
}

test('a turn of the event loop makes one part of all exports', async () => {
  const opened = (await Promise.all([openExports(2), openExports(2)])).flat()
  const watched = watchTurns()
  onTestFinished(watched.stop)
  const turns: number[] = []
  const countLines = async (stream: AsyncIterable<Uint8Array> = Readable.from([])) => {
    let lines = 0
    for await (const part of stream) {
      turns.push(watched.count())
      lines += Buffer.from(part).toString().split('\n').length - 1
    }
    return lines
  }
  const counts = await Promise.all(opened.map((response) => countLines(response?.stream)))
  expect(counts).toEqual(new Array(4).fill(userCount))
  // Each has 1.6 MB, in parts of a little more than 32 KiB.
  expect(turns.length).toBeGreaterThan(140)
  expect(new Set(turns).size).toBe(turns.length)
})

test('a page begins with few users, as they may be large', async () => {
  const read: number[] = []
  const rows = Array.from({ length: 100 }, () => ({
    user: newUser({ metadata }),
    emailVerifiedAt: null,
    passwordHash: null,
  }))
  const services = {
    exportTurns: new FairLimit({ atOnce: 2, maxWaiting: 1, retryAfterSeconds: 1 }),
    repository: {
      importExport: {
        exportBatch: async (_accountId: string, _afterId: string | null, limit: number) => {
          read.push(limit)
          return rows.slice(0, limit)
        },
      },
    },
  } as unknown as ImportExportServices // all that is used of them
  const call = { accountId: 'large' } as Call // all that is used of it
  const bounds = { limit: 500, maxBytes: 256 * 1024 }
  const { records } = await exportPage(services, call, bounds, ({ name }) => name)
  expect(read[0]).toBe(20)
  expect(records.length).toBeLessThan(35)
})
