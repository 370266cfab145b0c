import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { cliScript, type RunningProcess, startProcess } from '../support/start-process.ts'

/** Lines of that many requests are more than a pipe and its reader hold. */
const many = 3_000

async function start(settings: Record<string, string> = {}) {
  const running = startProcess(cliScript, [], {
    PORT: '0',
    DATABASE_URL: 'sqlite::memory:',
    CLIENTELE_SECRET: 'a secret for tests that is long enough',
    ...settings,
  })
  onTestFinished(() => void running.child.kill('SIGKILL'))
  const [, base = ''] = await running.waitFor(/^Listening on (http:\S+)$/m)
  return { running, base }
}

async function ask(base: string, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let asked = 0; asked < count; asked += 50) {
    const answers = await Promise.all(
      Array.from({ length: Math.min(50, count - asked) }, () => fetch(`${base}/client/user`)),
    )
    for (const answer of answers) {
      expect(answer.status).toBe(401)
      ids.push(answer.headers.get('x-request-id') ?? '')
      await answer.body?.cancel()
    }
  }
  return ids
}

function readIds(running: RunningProcess): string[] {
  const lines = running.errors().split('\n').slice(0, -1)
  const parsed: { message: string; requestId: string }[] = lines.map((line) => JSON.parse(line))
  const answered = parsed.filter(({ message }) => message === 'A request was answered.')
  return answered.map(({ requestId }) => requestId)
}

test('requests are answered while standard error is not read, and no line of them is lost', async () => {
  const { running, base } = await start()
  running.child.stderr?.pause()
  const ids = await ask(base, many)
  running.child.stderr?.resume()
  await sleep(300)
  running.child.kill('SIGTERM')
  expect(await running.ended).toBe(0)
  expect(readIds(running).toSorted()).toEqual(ids.toSorted())
})

test('SIGTERM ends a server whose standard error is not read', async () => {
  const { running, base } = await start()
  running.child.stderr?.pause()
  await ask(base, many)
  running.child.kill('SIGTERM')
  const [code] = await once(running.child, 'exit')
  expect(code).toBe(0)
})

test('requests that were answered before a crash have their log lines', async () => {
  const crash = "process.on('SIGUSR2',()=>setImmediate(()=>{throw(new(Error)('crash'))}))"
  const { running, base } = await start({
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(crash)}`,
  })
  const ids = await ask(base, 50)
  running.child.kill('SIGUSR2')
  expect(await running.ended).not.toBe(0)
  for (const id of ids) expect(running.errors()).toContain(id)
})
