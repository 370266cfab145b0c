import { addLargeUsers, addTokensOfLargeUsers } from './add-large-users.ts'
import { addRevocations } from './add-revocations.ts'
import type { Attack, Target } from './attack.ts'
import { erase, exportPerson, get, postAs } from './messages.ts'
import { readLargeChanges } from './read-large-changes.ts'
import { replayLargeEvents } from './replay-large-events.ts'
import { addEndpoints } from './replay-webhooks.ts'
import { signInToConsole } from './sign-in-to-console.ts'
import { addLargeEvents, waitForEvents } from './wait-for-events.ts'

/** Requests of a key's holder whose work might grow with the account's data. */
export const dataAttacks: readonly Attack[] = [
  {
    name: 'good tokens',
    from: "key's holder",
    what: 'batches of 100 of a user with 8 KB of metadata, on 64 connections',
    run: async (ways, target) => {
      await fillMetadata(target)
      const tokens = new Array(100).fill(`Bearer ${target.token}`)
      const body = JSON.stringify({ tokens })
      return ways.repeat(64, () => postAs(target, '/auth/validation-tokens', body))
    },
  },
  {
    name: 'unread lists',
    from: "key's holder",
    what: '50 lists on each of 60 connections that read nothing',
    run: (ways, target) => ways.leaveUnread(60, 50, () => get('/client/user?limit=100', target)),
  },
  {
    name: 'unread lists of large users',
    from: "key's holder",
    what: '10 lists of 20 users whose text is not ASCII on each of 1,000 connections that read nothing',
    run: async (ways, target) => {
      await addLargeUsers(target)
      return ways.leaveUnread(1_000, 10, () =>
        get('/client/user?limit=20&sort=-created_at', target),
      )
    },
  },
  {
    name: 'lists',
    from: "key's holder",
    what: 'of 100 users, on 200 connections',
    run: (ways, target) => ways.repeat(200, () => get('/client/user?limit=100', target)),
  },
  {
    name: 'lists of large users',
    from: "key's holder",
    what: 'of 100 users with 8 KB of metadata each, on 200 connections',
    run: async (ways, target) => {
      await addLargeUsers(target)
      return ways.repeat(200, () => get('/client/user?limit=100&sort=-created_at', target))
    },
  },
  {
    name: 'tokens of large users',
    from: "key's holder",
    what: 'batches of 100, each of another user with 8 KB of metadata, on 16 connections',
    run: async (ways, target) => {
      const tokens = await addTokensOfLargeUsers(target)
      const body = JSON.stringify({ tokens })
      return ways.repeat(16, () => postAs(target, '/auth/validation-tokens', body))
    },
  },
  {
    name: "a user's own tokens",
    from: "key's holder",
    what: 'as many as a user may have, with 50 scopes of 100 characters each, on 200 connections',
    run: async (ways, target) => {
      await fillTokens(target)
      return ways.repeat(200, () => get(`/client/user/${target.userId}/token`, target))
    },
  },
  {
    name: 'pipelined lists',
    from: "key's holder",
    what: '50 lists at once, on each of 8 connections',
    run: (ways, target) => ways.pipeline(8, 50, () => get('/client/user?limit=100', target)),
  },
  {
    name: 'bursts',
    from: "key's holder",
    what: '16 lists of 100 users at once, and again after 100 ms',
    run: (ways, target) => ways.burst(16, 100, () => get('/client/user?limit=100', target)),
  },
  {
    name: 'requests that are left',
    from: "key's holder",
    what: '20 lists of 100 users at a time, each on a connection that is closed before the answer',
    run: (ways, target) => ways.comeAndGo(20, () => get('/client/user?limit=100', target)),
  },
  {
    name: 'erasures',
    from: "key's holder",
    what: 'of many users, on 16 connections',
    run: (ways, target) => {
      // Each try erases others.
      const first = Date.now() % 100_000
      return ways.repeat(16, (count) => erase(target, 1 + ((first + count) % 100_000)))
    },
  },
  {
    name: 'exports of a person, many at once',
    from: "key's holder",
    what: 'with a short history, in an account of 100,000 users, on 100 connections',
    run: (ways, target) => ways.repeat(100, () => exportPerson(target, 99_999)),
  },
  {
    name: "pages of the console's export",
    from: "key's holder",
    what: 'of 1,000 users each, on 16 connections',
    run: async (ways, target) => {
      const cookie = await signInToConsole(target)
      const headers = { 'Clientele-Console': '1', Cookie: cookie }
      return ways.repeat(16, () => ({ line: 'GET /client/console/export', headers }))
    },
  },
  ...overLargeAccount({
    'far pages': (target) => `/client/user?limit=100&sort=name&page=${target.farPage}`,
    searches: () => '/client/user?limit=100&q=u&sort=-email',
    'the feed from a time': ({ since }) => `/client/event?limit=1000&since=${since}`,
    'the feed of one type': () => '/client/event?limit=1000&type=user.created',
    'exports of a person': ({ userId }) => `/client/user/${userId}/export`,
  }),
  {
    name: 'waiting for the same events',
    from: "key's holder",
    what: '100 readers of the feed, whom 40 events of 8 KB wake at once',
    run: waitForEvents,
  },
  {
    name: 'the feed of large events',
    from: "key's holder",
    what: 'a mebibyte of it at a time, on 100 connections',
    run: async (ways, target) => {
      await addLargeEvents(target)
      return ways.repeat(100, () => get('/client/event?limit=1000&sort=-created_at', target))
    },
  },
  {
    name: 'revocations',
    from: "key's holder",
    what: 'a thousand at a time, on 20 connections',
    run: async (ways, target) => {
      await addRevocations(target)
      return ways.repeat(20, () => get('/client/user/auth/revocation?limit=1000', target))
    },
  },
  {
    name: 'large changes, and then the feed',
    from: "key's holder",
    what: '320 changes of 30 KB each, then the first reading of their events',
    run: readLargeChanges,
  },
  {
    name: 'replays of large events',
    from: "key's holder",
    what: 'of 23 KB each, to ten endpoints that answer at once',
    run: replayLargeEvents,
  },
  {
    name: 'replays',
    from: "key's holder",
    what: 'to ten endpoints, of 200,000 events of a type that they do not want, on 4 connections',
    run: async (ways, target) => ways.repeat(4, await addEndpoints(target)),
  },
]

/** Makes the attacking account's user as large as a user may be. */
async function fillMetadata({ base, key, userId }: Target): Promise<void> {
  const response = await fetch(`${base}/client/user/${userId}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ metadata: { a: 'é'.repeat(4_000) } }),
  })
  if (!response.ok) throw new Error(`The user was not changed: ${await response.text()}`)
}

/** Gives the attacking account's user as many own tokens as there can be, half of them revoked, with the longest scopes. */
async function fillTokens({ base, key, userId }: Target): Promise<void> {
  const path = `${base}/client/user/${userId}/token`
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
  const scopes = Array.from({ length: 50 }, (_, index) => String(index).padStart(100, 's'))
  const body = JSON.stringify({ name: 'Script', scopes })
  for (const _half of ['revoked', 'live']) {
    const revoked = await fetch(path, { method: 'DELETE', headers })
    if (!revoked.ok) throw new Error(`The tokens were not revoked: ${await revoked.text()}`)
    for (let count = 0; count < 50; count++) {
      const response = await fetch(path, { method: 'POST', headers, body })
      if (!response.ok) throw new Error(`No token was made: ${await response.text()}`)
    }
  }
}

/** Requests whose work might grow with the account: it has 100,000 users and 200,000 events. */
function overLargeAccount(
  paths: Record<string, (target: Target & { farPage: number; since: string }) => string>,
): Attack[] {
  const farPage = 1_000
  const since = new Date(Date.now() - 60_000).toISOString()
  return Object.entries(paths).map(([name, toPath]) => ({
    name,
    from: "key's holder" as const,
    what: 'of an account of 100,000 users and 200,000 events, on 24 connections',
    run: (ways, target) =>
      ways.repeat(24, () => get(toPath({ ...target, farPage, since }), target)),
  }))
}
