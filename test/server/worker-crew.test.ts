import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, type MockInstance, test, vi } from 'vitest'
import { WorkerCrew } from '../../packages/cli/src/server/workers/worker-crew.ts'

vi.setConfig({ testTimeout: 30_000 })

let exit: MockInstance<typeof process.exit>
beforeEach(() => {
  exit = vi.spyOn(process, 'exit').mockImplementation(() => undefined as never)
})
afterEach(() => {
  for (const name of ['exit', 'listening', 'message']) cluster.removeAllListeners(name)
  for (const worker of workers()) worker.process.kill('SIGKILL')
  exit.mockRestore()
})

const workers = (): Worker[] =>
  Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)

/** A crew whose workers run a script; `logged` has its messages. */
function crewOf(count: number, script: string): { crew: WorkerCrew; logged: string[] } {
  cluster.setupPrimary({ exec: '-', execArgv: ['-e', script], args: [], cwd: process.cwd() })
  const logged: string[] = []
  const write = (line: string) => void logged.push(JSON.parse(line).msg)
  return { crew: new WorkerCrew(count, pino({ level: 'info' }, { write })), logged }
}

test('a first worker that listens after the signal is not joined by others', async () => {
  const { crew } = crewOf(
    3,
    `process.on('SIGTERM', () => {
      require('node:net').createServer().listen(0)
      setTimeout(() => process.exit(), 300)
    })
    process.send('ready')`,
  )
  crew.start()
  const [first] = workers()
  if (first === undefined) throw new Error('There is no worker.')
  await once(first, 'message')
  crew.stop('SIGTERM')
  await once(cluster, 'listening')
  expect(workers()).toEqual([first])
  await expect.poll(() => exit.mock.calls).toEqual([[0]])
})

test('a worker that the system refuses leaves the others, and is tried again', async () => {
  const { crew, logged } = crewOf(2, `require('node:net').createServer().listen(0)`)
  const listened = () => logged.filter((message) => message === 'A worker listens.').length
  await crew.start()
  await expect.poll(listened).toBe(2)
  const [victim, other] = workers()
  // As at a limit, the process cannot be made.
  cluster.setupPrimary({ cwd: '/there/is/no/such/folder' })
  victim?.process.kill('SIGKILL')
  const refused = 'The system refused a worker: another one is started.'
  await expect.poll(() => logged).toContain(refused)
  expect(workers()).toEqual([other])
  cluster.setupPrimary({ cwd: process.cwd() })
  await expect.poll(listened, { timeout: 10_000 }).toBe(3)
  expect(exit).not.toHaveBeenCalled()
  crew.stop('SIGTERM')
  await expect.poll(() => exit.mock.calls).not.toEqual([])
})
