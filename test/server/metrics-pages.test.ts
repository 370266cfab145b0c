import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, expect, test } from 'vitest'
import { createLogger } from '../../packages/cli/src/server/logging/create-logger.ts'
import { openMetricsServer } from '../../packages/cli/src/server/observe/open-metrics-server.ts'
import { fetchAndClose } from '../support/fetch-and-close.ts'

/** How many readers have asked, and how many pages were begun */
let asked: number
let made: number
let makePage: (number: number) => Promise<string>
let read: () => Promise<{ status: number; text: string }>

beforeEach(async () => {
  asked = 0
  made = 0
  const logger = createLogger({ logLevel: 'silent', logFormat: 'json' })
  const server = openMetricsServer(() => makePage(++made), logger)
  server.on('request', () => asked++)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  read = async () => {
    const response = await fetchAndClose(`http://127.0.0.1:${port}/metrics`)
    return { status: response.status, text: await response.text() }
  }
  return () => server.close()
})

test('readers of the metrics who ask while a page is made share the next one', async () => {
  const isFirstMade = Promise.withResolvers<void>()
  makePage = async (number) => {
    if (number === 1) await isFirstMade.promise
    if (number === 2) throw new Error('The database does not answer.')
    return `page ${number}`
  }
  const first = read()
  await expect.poll(() => made).toBe(1)
  const others = Array.from({ length: 50 }, read)
  await expect.poll(() => asked).toBe(51)
  isFirstMade.resolve()
  const statuses = (await Promise.all(others)).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([500]))
  expect(await first).toEqual({ status: 200, text: 'page 1' })
  expect(await read()).toEqual({ status: 200, text: 'page 3' })
  expect(made).toBe(3)
})

test('pages of metrics take a tenth of the time at most, however many readers ask', async () => {
  makePage = async () => {
    await sleep(20)
    return 'a page'
  }
  const end = performance.now() + 1_000
  const goOn = async () => {
    while (performance.now() < end) await read()
  }
  await Promise.all(Array.from({ length: 20 }, goOn))
  // One in 200 ms, and one that was asked for before the end
  expect(made).toBeLessThanOrEqual(7)
})
