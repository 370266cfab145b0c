import { randomUUID } from 'node:crypto'
import type { EventType, NewEvent, Repository } from '@clientele/core'
import { createLargeAccount } from './large-account.ts'

type Write = () => Promise<unknown>

export interface Writer {
  create: Write
  replace: Write
  delete: Write
  refresh: Write
  close(): Promise<void>
}

const profile = { name: 'A name', roles: '[]', metadata: '{}' }
const hourMs = 3_600_000

/** Writes to an account of 10,000 users, as the service does when it has checked everything and hashed the password. */
export async function createWriter(
  url: string,
  open: (url: string) => Repository,
): Promise<Writer> {
  const { accountId } = await createLargeAccount(url, 10_000)
  const repository = open(url)
  const nextId = idGenerator()
  const created: string[] = []
  const sessions: { id: string; hash: string }[] = []
  let replaced = 0
  let refreshed = 0

  function eventOf<Type extends EventType>(type: Type, id: string): NewEvent<Type> {
    return {
      id: nextId(),
      type,
      accountId,
      createdAt: Date.now(),
      actor: { type: 'system', id: null },
      requestId: randomUUID(),
      subject: { type: 'user', id },
      data: {},
    } as unknown as NewEvent<Type> // of users, whose events differ in nothing that the store looks at
  }
  async function create(): Promise<string> {
    const id = nextId()
    const times = { createdAt: 1, updatedAt: 1 }
    const user = { ...profile, id, email: `${id}@example.com`, isActive: true, ...times }
    const event = eventOf('user.created', id)
    await repository.users.create(accountId, { ...user, passwordHash: null }, event)
    return id
  }
  /** Each of those who write has a session of its own. */
  async function openSessions(): Promise<void> {
    for (let count = 0; count < 64; count++) {
      const [id, userId, hash] = [nextId(), await create(), randomUUID()]
      const createdAt = Date.now()
      const session = {
        id,
        userId,
        amr: ['pwd'],
        createdAt,
        expiresAt: createdAt + hourMs,
        endsAt: createdAt + hourMs,
        successorSeed: randomUUID(),
        refreshTokenHash: hash,
      }
      await repository.sessions.create(accountId, session, null, eventOf('user.logged_in', userId))
      sessions.push({ id, hash })
    }
  }
  await openSessions()
  return {
    create: async () => {
      created.push(await create())
    },
    replace: () => {
      const id = created[replaced++ % created.length] ?? ''
      const changes = { ...profile, email: `${id}@example.com`, updatedAt: 2 }
      return repository.users.replace(accountId, id, changes, null, eventOf('user.updated', id))
    },
    delete: () => {
      const id = created.pop() ?? randomUUID()
      return repository.users.delete(accountId, id, null, () => eventOf('user.deleted', id))
    },
    refresh: async () => {
      const session = sessions[refreshed++ % sessions.length]
      if (session === undefined) return
      const [hash, successorHash] = [session.hash, randomUUID()]
      session.hash = successorHash
      const now = Date.now()
      await repository.sessions.rotateRefreshToken(accountId, session.id, hash, {
        successorHash,
        usedAt: now,
        expiresAt: now + hourMs,
        windowRefreshes: 1,
        windowEndsAt: now,
      })
    },
    close: () => repository.storage.close(),
  }
}

/** Time is 1 / throughput of a number of writers, in microseconds. */
export function timeOf(write: Write, writers = 8): (seconds: number) => Promise<number> {
  return async (seconds) => {
    const end = performance.now() + seconds * 1000
    let writes = 0
    const loop = async (): Promise<void> => {
      while (performance.now() < end) {
        await write()
        writes++
      }
    }
    await Promise.all(Array.from({ length: writers }, loop))
    return (seconds * 1e6) / writes
  }
}

/** Ids in ascending order, as both sides would have them. */
function idGenerator(): () => string {
  let number = 0
  return () => {
    const time = (Date.now() * 1000 + (number++ % 1000)).toString(16).padStart(14, '0')
    const random = randomUUID().slice(-12)
    return `${time.slice(0, 8)}-${time.slice(8, 12)}-7${time.slice(12)}0-8000-${random}`
  }
}
