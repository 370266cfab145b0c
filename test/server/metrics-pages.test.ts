import { setTimeout as sleep } from 'node:timers/promises'
import { Gauge, Registry } from 'prom-client'
import { beforeEach, expect, test } from 'vitest'
import { createLogger } from '../../packages/cli/src/server/logging/create-logger.ts'
import { LoopTime } from '../../packages/cli/src/server/observe/loop-time.ts'
import { makePage as makeWholePage } from '../../packages/cli/src/server/observe/make-page.ts'
import { openMetricsServer } from '../../packages/cli/src/server/observe/open-metrics-server.ts'
import { fetchAndClose } from '../support/fetch-and-close.ts'

/** How many readers have asked, and how many pages were begun */
let asked: number
let made: number
let makePage: (number: number, loopTime: LoopTime) => Promise<string>
let read: () => Promise<{ status: number; text: string }>

beforeEach(async () => {
  asked = 0
  made = 0
  const logger = createLogger({ logLevel: 'silent', logFormat: 'json' })
  const server = openMetricsServer((loopTime) => makePage(++made, loopTime), logger)
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

/** How many pages many readers get within a second. */
async function readForSecond(): Promise<number> {
  const end = performance.now() + 1_000
  const goOn = async () => {
    while (performance.now() < end) await read()
  }
  await Promise.all(Array.from({ length: 20 }, goOn))
  return made
}

test('pages of metrics take a tenth of the time at most, however long one takes', async () => {
  makePage = (_number, loopTime) => loopTime.spend(() => occupyLoop(60))
  // One in 600 ms, and one that was asked for before the end
  expect(await readForSecond()).toBeLessThanOrEqual(3)
})

test('a page that waits for the database is followed by no rest', async () => {
  makePage = async () => {
    await sleep(20)
    return 'a page'
  }
  expect(await readForSecond()).toBeGreaterThan(8)
})

test('other requests are answered while a page of many metrics is made', async () => {
  const registry = new Registry()
  const collect = () => void occupyLoop(6)
  for (let metric = 0; metric < 10; metric++)
    new Gauge({ name: `metric_${metric}`, help: 'A metric.', registers: [registry], collect })
  let turns = 0
  const count = () => {
    turns++
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  const loopTime = new LoopTime()
  await makeWholePage(registry, loopTime)
  clearImmediate(next)
  expect(turns).toBeGreaterThan(8)
  expect(loopTime.totalMs).toBeGreaterThanOrEqual(60)
})

function occupyLoop(ms: number): string {
  const end = performance.now() + ms
  while (performance.now() < end);
  return 'a page'
}
