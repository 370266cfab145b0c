// A process of its own that changes users: node feed-worker.ts <url> <account> <name> <shared users, JSON> <changes> <chain>
// Each change that was acknowledged is a line of JSON on standard output, written before the next change begins.

import { openClientele } from '../keys/open-clientele.ts'
import type { Acknowledged } from './feed-journal.ts'

const [url = '', accountId = '', name = '', shared = '[]', changes = 'Infinity', chain] =
  process.argv.slice(2)
const sharedUserIds = JSON.parse(shared) as string[] // written by the test
const password = 'correct horse'
const clientele = await openClientele(url, { audit: { chain: chain === 'true' } })
let left = Number(changes)
let turn = 0

/** The next call, with what names it in the feed. */
function nextCall() {
  turn++
  return { accountId, requestId: `${name}-${turn}` }
}

function note(change: Omit<Acknowledged, 'requestId'>): void {
  left--
  console.log(JSON.stringify({ requestId: `${name}-${turn}`, ...change }))
}

while (left > 0) {
  const email = `${name}-${turn}@example.com`
  const made = await clientele.users.create(nextCall(), { name: 'Ada', email, password })
  const userId = made.user.id
  note({ type: 'user.created', userId, version: made.version })

  const patched = await clientele.users.patch(nextCall(), userId, { metadata: { turn } })
  note({ type: 'user.updated', userId, version: patched.version })

  const call = nextCall()
  await clientele.auth.logIn(call, { email, password })
  note({ type: 'user.logged_in', userId })

  // Others change the same users at the same time.
  for (const sharedId of sharedUserIds) {
    const next = nextCall()
    const changed = await clientele.users.patch(next, sharedId, {
      metadata: { by: next.requestId },
    })
    note({ type: 'user.updated', userId: sharedId, version: changed.version })
  }

  const deactivated = await clientele.users.deactivate(nextCall(), userId)
  note({ type: 'user.deactivated', userId, version: deactivated.version })
}
await clientele.close()
