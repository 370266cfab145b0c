import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Target } from './attack.ts'
import { ask, findEnd, listUsers, read } from './wait-for-events.ts'
import type { Ways } from './ways.ts'

const endpoints = 10
const roles = Array.from({ length: 50 }, (_, index) => `${index}${'語'.repeat(98)}`)
const metadata = { a: 'é'.repeat(3_900) }

/** Replays events that are as large as events may be, to ten endpoints that answer at once. */
export async function replayLargeEvents(ways: Ways, target: Target): Promise<void> {
  const receiver = createServer((request, response) => {
    request.resume()
    response.end()
  })
  await once(receiver.listen(0, '127.0.0.1'), 'listening')
  const { port } = receiver.address() as AddressInfo // it listens on TCP
  await removeEndpoints(target)
  const after = await findEnd(target, '')
  const types = ['user.updated']
  const added = Array.from({ length: endpoints }, (_, index) =>
    send(target, '/client/webhook', { url: `http://127.0.0.1:${port}/${index}`, types }),
  )
  const ids = (await Promise.all(added)).map(({ id }) => id)
  for (const id of await listUsers(target))
    await send(target, `/client/user/${id}`, { roles, metadata: { ...metadata, b: Math.random() } })
  while (!ways.isOver) {
    for (const id of ids) {
      const response = await ask(target, `/client/webhook/${id}/replay`, {
        method: 'POST',
        body: JSON.stringify({ after }),
      })
      ways.note(String(response.status))
    }
    await sleep(300)
  }
  await removeEndpoints(target)
  receiver.close()
}

/** An account has ten endpoints at most. */
async function removeEndpoints(target: Target): Promise<void> {
  const { data } = await read<{ data: { id: string }[] }>(target, '/client/webhook')
  for (const { id } of data) await ask(target, `/client/webhook/${id}`, { method: 'DELETE' })
}

async function send(target: Target, path: string, content: object): Promise<{ id: string }> {
  const method = path.startsWith('/client/user/') ? 'PATCH' : 'POST'
  const response = await ask(target, path, { method, body: JSON.stringify(content) })
  if (!response.ok) throw new Error(`${path} was refused: ${await response.text()}`)
  return JSON.parse(await response.text())
}
