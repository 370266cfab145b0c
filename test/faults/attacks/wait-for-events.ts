import { setTimeout as sleep } from 'node:timers/promises'
import type { Target } from './attack.ts'
import type { Ways } from './ways.ts'

const readers = 100
const changes = 40
const metadata = 'é'.repeat(4_000)

interface Page {
  next_cursor: string
  has_more: boolean
}

/** Many readers wait for the same events, which are as large as events may be; again and again. */
export async function waitForEvents(ways: Ways, target: Target): Promise<void> {
  const ids = await listUsers(target)
  let after = ''
  while (!ways.isOver) {
    after = await findEnd(target, after)
    const waiting = Array.from({ length: readers }, async () => {
      const response = await ask(target, `/client/event?limit=1000&wait=5&after=${after}`)
      await response.arrayBuffer()
      ways.note(String(response.status))
    })
    await sleep(150)
    await Promise.all([...ids.map((id) => change(target, id)), ...waiting])
  }
}

/** Makes the account's latest events as large as events may be. */
export async function addLargeEvents(target: Target): Promise<void> {
  const ids = await listUsers(target)
  for (let round = 0; round < 4; round++) await Promise.all(ids.map((id) => change(target, id)))
}

export async function listUsers(target: Target): Promise<string[]> {
  const { data } = await read<{ data: { id: string }[] }>(target, `/client/user?limit=${changes}`)
  return data.map(({ id }) => id)
}

/** The cursor behind the last event */
export async function findEnd(target: Target, known: string): Promise<string> {
  const latest = await read<Page>(target, '/client/event?sort=-created_at&limit=1')
  let after = known === '' ? latest.next_cursor : known
  for (;;) {
    const page = await read<Page>(target, `/client/event?limit=1000&after=${after}`)
    after = page.next_cursor
    if (!page.has_more) return after
  }
}

async function change(target: Target, id: string): Promise<void> {
  const response = await ask(target, `/client/user/${id}`, {
    method: 'PATCH',
    body: JSON.stringify({ metadata: { a: metadata, b: Math.random() } }),
  })
  await response.arrayBuffer()
}

export async function read<Answer>(target: Target, path: string): Promise<Answer> {
  return JSON.parse(await (await ask(target, path)).text())
}

export function ask(
  { base, key }: Target,
  path: string,
  init: RequestInit = {},
): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return fetch(base + path, { ...init, headers })
}
