import { once } from 'node:events'
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { anyServerDatabase } from '../support/databases.ts'
import { cliScript, startByNpm, startByNpx, startProcess } from '../support/start-process.ts'
import { findServer, Load } from './load.ts'

const environment = { PORT: '0', CLIENTELE_SECRET: 'a secret for tests that is long enough' }

test.each(anyServerDatabase)(
  'SIGTERM to the whole group of npm start, under load on $name: all is answered, exit code 0',
  async ({ openEmpty }) => {
    const database = await openEmpty()
    onTestFinished(() => database.close())
    const running = startByNpm({ ...environment, DATABASE_URL: database.url, LOG_LEVEL: 'error' })
    const group = -Number(running.child.pid)
    onTestFinished(() => {
      if (running.child.exitCode === null) process.kill(group, 'SIGKILL')
    })
    const load = new Load(await findServer(running), 24)
    const cutOff = load.run(24)
    await expect
      .poll(() => load.answered > 60 && load.underWay > 20, { timeout: 30_000 })
      .toBe(true)
    const { answered, underWay } = load
    process.kill(group, 'SIGTERM')
    expect(await cutOff).toEqual([])
    expect(load.answered).toBeGreaterThanOrEqual(answered + underWay)
    expect(await running.ended).toBe(0)
  },
  60_000,
)

/** A server on which one request is under way, whose body is complete only after `finish`. */
async function startWithSlowRequest() {
  const running = startProcess(cliScript, [], {
    ...environment,
    DATABASE_URL: 'sqlite::memory:',
  })
  onTestFinished(() => void running.child.kill('SIGKILL'))
  const { base, key } = await findServer(running)
  const body = JSON.stringify({ token: 'Bearer x' })
  const slow: ClientRequest = request(`${base}/client/user/auth/validation-token`, {
    method: 'POST',
    agent: false,
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      expect: '100-continue',
    },
  })
  const answered = new Promise<number | string | undefined>((resolve) => {
    slow
      .on('response', (response) => resolve(response.resume().statusCode))
      .on('error', (error: Error & { code?: string }) => resolve(error.code))
  })
  // Once the server asks for the body, the request is under way.
  const asked = once(slow, 'continue')
  slow.flushHeaders()
  await asked
  slow.write(body.slice(0, 5))
  const stopping = () => expect.poll(() => running.errors()).toContain('Stopping')
  return { running, base, answered, stopping, finish: () => slow.end(body.slice(5)) }
}

test('a signal that comes several times at once counts once', async () => {
  const { running, answered, stopping, finish } = await startWithSlowRequest()
  running.child.kill('SIGTERM')
  running.child.kill('SIGTERM')
  await stopping()
  running.child.kill('SIGTERM')
  running.child.kill('SIGINT')
  await sleep(100)
  finish()
  expect(await answered).toBe(401)
  expect(await running.ended).toBe(0)
})

test('a second signal that comes more than two seconds later ends at once', async () => {
  const { running, answered, stopping } = await startWithSlowRequest()
  running.child.kill('SIGTERM')
  await stopping()
  await sleep(2_100)
  running.child.kill('SIGTERM')
  expect(await running.ended).toBe(143)
  expect(await answered).toBe('ECONNRESET')
})

test('a request on a connection that was idle when SIGTERM came is answered, and is its last', async () => {
  const { running, base, finish } = await startWithSlowRequest()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const get = async (): Promise<IncomingMessage> => {
    const sent = request(`${base}/client/user`, { agent }).end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage] // what the event carries
    await once(response.resume(), 'end')
    return response
  }
  let last = await get()
  expect(last.headers.connection).toBe('keep-alive')
  running.child.kill('SIGTERM')
  while (last.headers.connection === 'keep-alive') last = await get()
  expect([last.statusCode, last.headers.connection]).toEqual([401, 'close'])
  await expect(get()).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  finish()
  expect(await running.ended).toBe(0)
})

test('ending npx ends the server', async () => {
  const running = startByNpx({ ...environment, DATABASE_URL: 'sqlite::memory:' })
  await findServer(running)
  running.child.kill('SIGTERM')
  // Its output ends with the last process that has it: the server.
  await running.ended
  expect(running.errors()).toContain('Stopping')
})
