import type { Target } from './attack.ts'
import { ask, listUsers } from './wait-for-events.ts'
import type { Ways } from './ways.ts'

const changesBefore = 320
// Written with twice as many characters
const roles = Array.from({ length: 50 }, (_, index) => `${index}${'"'.repeat(97)}`)

/** Reads a feed for the first time after many changes, whose events are as large as events may be; again and again. */
export async function readLargeChanges(ways: Ways, target: Target): Promise<void> {
  const ids = await listUsers(target)
  for (let count = 0; !ways.isOver; count += ids.length) {
    const metadata = { a: 'é"'.repeat(2_000), b: count }
    const body = JSON.stringify({ roles, metadata })
    await Promise.all(ids.map((id) => send(`/client/user/${id}`, { method: 'PATCH', body })))
    if (count % changesBefore < ids.length) await send('/client/event?limit=1&sort=-created_at')
  }

  async function send(path: string, init?: RequestInit): Promise<void> {
    const response = await ask(target, path, init)
    await response.arrayBuffer()
    ways.note(String(response.status))
  }
}
