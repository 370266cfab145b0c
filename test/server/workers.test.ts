import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { createClient, dataOf } from '@clientele/client'
import { expect, onTestFinished, test, vi } from 'vitest'
import { databases } from '../support/databases.ts'
import { cliScript, type RunningProcess, startProcess } from '../support/start-process.ts'
import { findServer, Load } from './load.ts'

vi.setConfig({ testTimeout: 90_000 })

const environment = { PORT: '0', CLIENTELE_SECRET: 'a secret for tests that is long enough' }

async function start(settings: Record<string, string> = {}, args = ['serve', '--workers', '2']) {
  const database = await databases.find(({ name }) => name === 'postgres')?.openEmpty()
  if (database === undefined) throw new Error('There is no PostgreSQL.')
  const running = startProcess(cliScript, args, {
    ...environment,
    DATABASE_URL: database.url,
    ...settings,
  })
  onTestFinished(async () => {
    if (running.child.exitCode === null) running.child.kill('SIGKILL')
    await running.ended
    await database.close()
  })
  return { running, url: database.url }
}

/** The process ids of the workers that listened, in their order. */
const workersOf = (running: RunningProcess): number[] =>
  Array.from(running.errors().matchAll(/"worker":(\d+),"message":"A worker listens/g), ([, pid]) =>
    Number(pid),
  )

async function waitForWorkers(running: RunningProcess, count: number): Promise<number[]> {
  await expect.poll(() => workersOf(running).length, { timeout: 30_000 }).toBe(count)
  return workersOf(running)
}

test('two workers serve one port; the start messages are printed once', async () => {
  const { running } = await start({ LOG_LEVEL: 'debug' })
  const { base, key } = await findServer(running)
  await waitForWorkers(running, 2)
  const client = createClient({ baseUrl: base, apiKey: key })
  expect(dataOf(await client.listUsers()).total).toBe(0)
  running.child.kill('SIGTERM')
  running.child.kill('SIGTERM')
  expect(await running.ended).toBe(0)
  expect(running.output().match(/^Listening on/gm)).toHaveLength(1)
  expect(running.output().match(/^API key: /gm)).toHaveLength(1)
  // Each has said so, and the primary.
  expect(running.errors().match(/Stopping: /g)).toHaveLength(3)
})

test('MAX_CONNECTIONS: idle connections make place for new ones', async () => {
  const { running } = await start({ MAX_CONNECTIONS: '10' })
  const { base } = await findServer(running)
  await waitForWorkers(running, 2)
  const { port } = new URL(base)
  let [answered, closed] = [0, 0]
  const sockets: Socket[] = []
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  /** Opens a connection that asks once; resolves when it is answered or closed. */
  const open = (): Promise<void> =>
    new Promise((resolve, reject) => {
      setTimeout(() => reject(new Error('It was neither answered nor closed.')), 20_000).unref()
      const socket = connect(Number(port), '127.0.0.1', () =>
        socket.write('GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n'),
      )
      let isAnswered = false
      socket.on('data', () => {
        if (!isAnswered) answered++
        isAnswered = true
        resolve()
      })
      socket.on('error', () => {})
      socket.on('close', () => {
        if (isAnswered) closed++
        resolve()
      })
      sockets.push(socket)
    })
  // Those above the limit of a worker are refused at once.
  while (answered < 20) await open()
  const begun = sockets.length
  while (closed === 0) await open()
  expect(sockets.length).toBeGreaterThan(begun)
  while (answered === 20) await open()
})

test('SIGTERM under load: all that was sent is answered, and each of the workers exits 0', async () => {
  const { running } = await start({ WORKERS: '2' }, [])
  const load = new Load(await findServer(running), 24)
  await waitForWorkers(running, 2)
  const cutOff = load.run(24)
  await expect.poll(() => load.answered > 60 && load.underWay > 20, { timeout: 30_000 }).toBe(true)
  // As a process group gets it: the workers themselves, and the primary, which passes it on.
  for (const pid of workersOf(running)) process.kill(pid, 'SIGTERM')
  running.child.kill('SIGTERM')
  expect(await cutOff).toEqual([])
  expect(await running.ended).toBe(0)
})

test('a worker that is killed is started again, and no write that was acknowledged is lost', async () => {
  const { running, url } = await start()
  const server = await findServer(running)
  const [victim = 0] = await waitForWorkers(running, 2)
  const load = new Load(server, 16)
  const cutOff = load.run(16)
  await expect.poll(() => load.created.length, { timeout: 30_000 }).toBeGreaterThan(20)
  process.kill(victim, 'SIGKILL')
  const workers = await waitForWorkers(running, 3)
  expect(new Set(workers).size).toBe(3)
  const before = load.answered
  await expect.poll(() => load.answered, { timeout: 30_000 }).toBeGreaterThan(before + 20)
  running.child.kill('SIGTERM')
  expect(await running.ended).toBe(0)
  // Only those that the killed worker had
  expect((await cutOff).length).toBeLessThanOrEqual(16)
  expect(running.errors()).toMatch(/"signal":"SIGKILL".*"message":"A worker died: another one is/)

  const again = startProcess(cliScript, [], { ...environment, DATABASE_URL: url })
  const [, base = ''] = await again.waitFor(/^Listening on (\S+)$/m)
  const client = createClient({ baseUrl: base, apiKey: server.key })
  const stored = new Set<string>()
  for await (const user of client.iterateUsers({ limit: 100 })) stored.add(user.email)
  expect(load.created.filter((email) => !stored.has(email))).toEqual([])
  again.child.kill('SIGTERM')
  expect(await again.ended).toBe(0)
})

test('when all workers are killed again and again, another one is started within a second', async () => {
  const { running } = await start()
  await findServer(running)
  const pauses = () =>
    Array.from(running.errors().matchAll(/"pauseMs":(\d+)/g), ([, pause]) => Number(pause))
  await waitForWorkers(running, 2)
  for (const round of [1, 2]) {
    for (const pid of workersOf(running).slice(-2)) process.kill(pid, 'SIGKILL')
    await expect.poll(() => pauses().length, { timeout: 30_000 }).toBe(2 * round)
    await waitForWorkers(running, 2 * (round + 1))
  }
  // Those of the workers whose death left none
  const [, first = 0, , second = 0] = pauses()
  expect(Math.max(first, second)).toBeLessThanOrEqual(1_000)
})

test('a port that is taken: reported once, exit code 1', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  onTestFinished(() => void taken.close())
  const address = taken.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const { running } = await start({ PORT: String(port) })
  expect(await running.ended).toBe(1)
  expect(running.errors().match(/^PORT cannot be listened on: /gm)).toHaveLength(1)
  expect(running.output()).toBe('')
})

test('SQLite and a value that is not a number are refused with the reason', async () => {
  for (const [workers, sentence] of [
    ['2', 'WORKERS needs PostgreSQL: on SQLite one process writes at a time'],
    ['0', 'WORKERS must be a whole number from 1 to 128.'],
    ['many', 'WORKERS must be a whole number from 1 to 128.'],
  ] as const) {
    const args = ['serve', '--workers', workers]
    const running = startProcess(cliScript, args, { DATABASE_URL: 'sqlite::memory:' })
    expect(await running.ended).toBe(2)
    expect(running.errors()).toContain(sentence)
  }
  const one = startProcess(cliScript, ['serve', '--workers', '1'], {
    ...environment,
    DATABASE_URL: 'sqlite::memory:',
  })
  await one.waitFor(/^Listening/m)
  one.child.kill('SIGTERM')
  expect(await one.ended).toBe(0)
})
