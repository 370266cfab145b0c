import { createMarks } from '../hostile-calls.ts'
import { addLargeUsers, addTokensOfLargeUsers } from './add-large-users.ts'
import type { Attack, Target } from './attack.ts'
import {
  changeUser,
  createBadToken,
  createMadeUpKey,
  erase,
  exportPerson,
  fillBody,
  fromConsole,
  get,
  inChunks,
  introspect,
  largestBody,
  postAs,
  signInAs,
  validate,
} from './messages.ts'
import { readLargeChanges } from './read-large-changes.ts'
import { replayLargeEvents } from './replay-large-events.ts'
import { addEndpoints } from './replay-webhooks.ts'
import { scimAttacks } from './scim-attacks.ts'
import { signInToConsole } from './sign-in-to-console.ts'
import { transferAttacks } from './transfer-attacks.ts'
import { addLargeEvents, waitForEvents } from './wait-for-events.ts'

/**
 * Every kind of request that a caller can send, as much of it as there may be. `attack-kit.test.ts` sends each for two
 * seconds to the server as it is shipped, while another account validates a token. To add one, add an entry.
 */
export const attacks: readonly Attack[] = [
  {
    name: 'size, without a key',
    from: 'stranger',
    what: 'sign-ins as large as a body may be, on 16 connections',
    run: (ways) =>
      ways.repeat(16, () => ({ line: 'POST /client/user/auth/login', body: largestBody })),
  },
  {
    name: 'size and depth at the console',
    from: 'stranger',
    what: 'sessions of the console asked for with arrays in arrays, on 16 connections',
    run: (ways) =>
      ways.repeat(16, () =>
        fromConsole('POST session', { body: '['.repeat(32_000) + ']'.repeat(32_000) }),
      ),
  },
  ...[20, 100, 200].map(
    (connections): Attack => ({
      name: `bodies in small chunks, ${connections}`,
      from: 'stranger',
      what: `sign-ins in 900 chunks of 64 bytes each, on ${connections} connections`,
      run: (ways) =>
        ways.repeat(connections, () => ({
          line: 'POST /client/user/auth/login',
          ...inChunks(900, 64),
        })),
    }),
  ),
  {
    name: 'bodies in tiny chunks',
    from: 'stranger',
    what: 'sign-ins in 490 chunks of one byte, on 200 connections',
    run: (ways) =>
      ways.repeat(200, () => ({ line: 'POST /client/user/auth/login', ...inChunks(490, 1) })),
  },
  {
    name: 'many lines of a head',
    from: 'stranger',
    what: 'requests of 900 header lines, on 200 connections',
    run: (ways) =>
      ways.repeat(200, () => ({
        line: 'GET /client/user',
        headers: Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`a${index}`, ''])),
      })),
  },
  {
    name: 'pipelining',
    from: 'stranger',
    what: '50 requests at once for the document of the API, on each of 8 connections',
    run: (ways) => ways.pipeline(8, 50, () => get('/client/user/openapi.json')),
  },
  {
    name: 'pipelining with bodies',
    from: 'stranger',
    what: '50 requests at once with a body of one byte, on each of 40 connections',
    run: (ways) => ways.pipeline(40, 50, () => ({ line: 'POST /client/user', body: 'x' })),
  },
  {
    name: 'pipelining with many header lines',
    from: 'stranger',
    what: '50 requests at once with 40 lines more than usual, on each of 40 connections',
    run: (ways) =>
      ways.pipeline(40, 50, () => ({
        line: 'GET /client/user',
        headers: Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`a${index}`, 'b'])),
      })),
  },
  {
    name: 'unread',
    from: 'stranger',
    what: '1,000 requests for the document of the API on each of 40 connections that read nothing',
    run: (ways) => ways.leaveUnread(40, 1_000, () => get('/client/user/openapi.json')),
  },
  {
    name: 'refused by Node',
    from: 'stranger',
    what: '1,000 requests with an Expect that Node answers itself, on each of 40 connections that read nothing',
    run: (ways) =>
      ways.leaveUnread(40, 1_000, () => ({ line: 'GET /client/user', headers: { Expect: 'x' } })),
  },
  {
    name: 'slow',
    from: 'stranger',
    what: 'a byte of a body every 50 ms on each of 200 connections',
    run: (ways) =>
      ways.trickle(200, () => ({ line: 'POST /client/user/auth/login', body: largestBody })),
  },
  {
    name: 'connections that stay',
    from: 'stranger',
    what: '1,000 connections that never end their request',
    run: (ways) => ways.hold(1_000),
  },
  {
    name: 'connections that go',
    from: 'stranger',
    what: '20 connections at a time, each closed when it is open',
    run: (ways) => ways.knock(20),
  },
  {
    name: 'connections that go, and new ones',
    from: 'stranger',
    what: '20 connections at a time, each closed when it is open, where the other account opens one for each request',
    meetsNewConnections: true,
    run: (ways) => ways.knock(20),
  },
  {
    name: 'checks of readiness',
    from: 'stranger',
    what: 'GET /health/ready on 200 connections',
    // The check is at the origin, and not below the mount point.
    run: (ways) => ways.repeat(200, () => get('/../../health/ready')),
  },
  {
    name: 'made-up keys',
    from: 'stranger',
    what: 'lists with another API key each time that nobody has, on 200 connections',
    run: (ways) =>
      ways.repeat(200, (count) => ({
        line: 'GET /client/user',
        headers: { Authorization: `Bearer ${createMadeUpKey(count)}` },
      })),
  },
  {
    name: 'made-up keys at the console',
    from: 'stranger',
    what: 'sessions asked for with another API key each time that nobody has, on 200 connections',
    run: (ways) =>
      ways.repeat(200, (count) =>
        fromConsole('POST session', { body: JSON.stringify({ api_key: createMadeUpKey(count) }) }),
      ),
  },
  {
    name: 'made-up accounts',
    from: 'stranger',
    what: 'key sets of another account each time that does not exist, on 200 connections',
    run: (ways) =>
      ways.repeat(200, (count) => {
        const account = `019dfae2-6a4d-7000-8000-${count.toString(16).padStart(12, '0')}`
        return get(`/client/account/${account}/.well-known/jwks.json`)
      }),
  },
  {
    name: 'cookies at the console',
    from: 'stranger',
    what: 'the overview with 15,000 empty cookies, on 200 connections',
    run: (ways) => {
      const headers = { 'Clientele-Console': '1', Cookie: ';'.repeat(15_000) }
      return ways.repeat(200, () => ({ line: 'GET /client/console/overview', headers }))
    },
  },
  ...Object.entries({
    'empty arrays': `{"token":"Bearer x","a":[${'[],'.repeat(2_600)}[]]}`,
    'unknown members': JSON.stringify({
      ...Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`k${index}`, 1])),
      token: 'x',
    }),
    'arrays in a token': JSON.stringify({
      token: `Bearer e30.${Buffer.from(`{"a":${'['.repeat(2_500)}${']'.repeat(2_500)}}`).toString('base64url')}.AA`,
    }),
  }).map(
    ([many, body]): Attack => ({
      name: `tokens to validate, with many ${many}`,
      from: 'stranger',
      what: 'bodies of some 7 KiB with made-up API keys, on 200 connections',
      run: (ways) =>
        ways.repeat(200, (count) => ({
          line: 'POST /client/user/auth/validation-token',
          headers: { Authorization: `Bearer ${createMadeUpKey(count)}` },
          body,
        })),
    }),
  ),
  {
    name: 'sign-ins to the console',
    from: "key's holder",
    what: 'sessions by one API key, of which each ends an older one, on 200 connections',
    run: (ways, { key }) =>
      ways.repeat(200, () =>
        fromConsole('POST session', { body: JSON.stringify({ api_key: key }) }),
      ),
  },
  {
    name: 'changed cookies at the console',
    from: "key's holder",
    what: 'the overview with 35 changed copies of a cookie, on 200 connections',
    run: async (ways, target) => {
      const cookie = await signInToConsole(target)
      const changed = `${cookie.slice(0, -4)}AAAA`
      const headers = { 'Clientele-Console': '1', Cookie: new Array(35).fill(changed).join('; ') }
      return ways.repeat(200, () => ({ line: 'GET /client/console/overview', headers }))
    },
  },
  {
    name: 'a header of spaces',
    from: 'stranger',
    what: 'introspection with 15,900 spaces between scheme and credentials, on 8 connections',
    run: (ways) => ways.repeat(8, () => introspect('token=x', `Basic${' '.repeat(15_900)}!`)),
  },
  {
    name: 'a form of many fields',
    from: 'stranger',
    what: 'introspection with 32,000 fields, on 8 connections',
    run: (ways) => ways.repeat(8, () => introspect('a&'.repeat(32_000), 'Bearer x')),
  },
  {
    name: 'size',
    from: "key's holder",
    what: 'users as large as a body may be, on 16 connections',
    run: (ways, target) => ways.repeat(16, () => postAs(target, '', largestBody)),
  },
  {
    name: 'depth',
    from: "key's holder",
    what: 'users of 10,000 objects in objects, on 16 connections',
    run: (ways, target) =>
      ways.repeat(16, () => postAs(target, '', `${'{"a":'.repeat(10_000)}0${'}'.repeat(10_000)}`)),
  },
  {
    name: 'count',
    from: "key's holder",
    what: 'users with as many values as a body of 64 KiB has room for, on 16 connections',
    run: (ways, target) =>
      ways.repeat(16, () => postAs(target, '', fillBody('{"metadata":{"a":[[]', ',[]', ']}}'))),
  },
  {
    name: 'count, just allowed',
    from: "key's holder",
    what: 'users with 4,900 values that are wrong, each, on 16 connections',
    run: (ways, target) =>
      ways.repeat(16, () => postAs(target, '', `{"roles":[0${',0'.repeat(4_900)}]}`)),
  },
  {
    name: 'bodies that end together',
    from: "key's holder",
    what: 'users with 4,900 values that are wrong, each, whose last bytes come at once, on 200 connections',
    run: (ways, target) =>
      ways.endTogether(200, () => postAs(target, '', `{"roles":[0${',0'.repeat(4_900)}]}`)),
  },
  {
    name: 'large bodies that end together',
    from: "key's holder",
    what: 'imports of 500 KB whose last bytes come at once, on 200 connections',
    run: async (ways, target) => {
      const cookie = await signInToConsole(target)
      const record = JSON.stringify({ name: 'Ada', metadata: { a: new Array(90).fill([]) } })
      const body = fillBody(`{"records":[${record}`, `,${record}`, ']}', 150_000)
      const padded = body.padEnd(500_000)
      return ways.endTogether(200, () => fromConsole('POST import', { body: padded, cookie }))
    },
  },
  {
    name: 'records of the console',
    from: "key's holder",
    what: 'batches of 500 KB of empty arrays to import, on 4 connections',
    run: async (ways, target) => {
      const cookie = await signInToConsole(target)
      const body = fillBody('{"records":[[]', ',[]', ']}', 500_000)
      return ways.repeat(4, () => fromConsole('POST import', { body, cookie }))
    },
  },
  ...importing('of new users', (count, index) => ({
    name: `User ${count} ${index}`,
    email: `import${Date.now()}x${count}x${index}@example.com`,
  })),
  ...importing('of users who are there', (count, index) => ({
    name: `User ${count} ${index}`,
    email: `user${index + 1}@example.com`,
    roles: [`a${count}`],
  })),
  {
    name: 'badly signed tokens',
    from: "key's holder",
    what: 'batches of 100, on 8 connections',
    run: (ways, target) =>
      ways.repeat(8, (count) => {
        const tokens = Array.from({ length: 100 }, (_, index) =>
          createBadToken(target, count * 100 + index),
        )
        return postAs(target, '/auth/validation-tokens', JSON.stringify({ tokens }))
      }),
  },
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
    name: 'changes of one user',
    from: "key's holder",
    what: 'another name each time, on 200 connections',
    run: (ways, target) =>
      ways.repeat(200, (count) => changeUser(target, 99_998, { name: `Ada ${count}` })),
  },
  {
    name: 'addresses that cross',
    from: "key's holder",
    what: "each of two users is given the other's address, on 200 connections",
    run: (ways, target) =>
      ways.repeat(200, (count) => {
        const [number, other] = count % 2 === 0 ? [99_996, 99_997] : [99_997, 99_996]
        return changeUser(target, number, { email: `user${other}@example.com` })
      }),
  },
  {
    name: 'pipelined lists',
    from: "key's holder",
    what: '50 lists at once, on each of 8 connections',
    run: (ways, target) => ways.pipeline(8, 50, () => get('/client/user?limit=100', target)),
  },
  {
    name: 'usual requests',
    from: "key's holder",
    what: 'validations of a good token, on 100 connections',
    run: (ways, target) => ways.repeat(100, () => validate(target)),
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
    name: 'QR codes',
    from: "key's holder",
    what: 'of authenticator apps that begin to be enrolled, on 16 connections',
    run: (ways, target) =>
      ways.repeat(16, () => postAs(target, `/${target.userId}/two-factor/totp?qr=svg`, '{}')),
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
  ...scimAttacks,
  ...transferAttacks,
  {
    name: 'wrong passwords',
    from: 'user',
    what: 'sign-ins with unknown e-mails, on 64 connections',
    run: (ways, target) =>
      ways.repeat(64, (count) => signInAs(target, `user-${count}@example.com`, 'wrong password')),
  },
  {
    name: 'imported hashes',
    from: 'user',
    what: 'sign-ins of users whose imported hashes take 250 ms each, on 16 connections',
    run: (ways, target) =>
      ways.repeat(16, (count) =>
        signInAs(target, `dear${1 + (count % target.dearUsers)}@example.com`, 'wrong password'),
      ),
  },
  {
    name: 'texts',
    from: 'user',
    what: 'sign-ins with the marks that cost most to normalise, on 16 connections',
    run: (ways, target) =>
      ways.repeat(16, () => signInAs(target, createMarks(1_278), createMarks(3_998))),
  },
  {
    name: 'tokens',
    from: 'user',
    what: 'tokens of 60 KB with 5,400 arrays in arrays, on 16 connections',
    run: (ways, target) => {
      const payload = fillBody(`{"a":${'['.repeat(5_400)}${']'.repeat(5_400)}`, ' ', '}', 45_000)
      const token = `Bearer e30.${Buffer.from(payload).toString('base64url')}.AA`
      const body = JSON.stringify({ token })
      return ways.repeat(16, () => postAs(target, '/auth/validation-token', body))
    },
  },
  {
    name: 'sessions',
    from: 'user',
    what: 'sign-ins with the right password, one after the other, on 4 connections',
    run: (ways, target) => ways.repeat(4, () => signInAs(target, 'ada@example.com', 'password')),
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

/** Imports as large as the console sends them, of records for a place in a request. */
function importing(whom: string, toRecord: (count: number, index: number) => object): Attack[] {
  return [1, 16].map((connections) => ({
    name: `imports ${whom}, ${connections} at once`,
    from: "key's holder" as const,
    what: `batches of 500, on ${connections} ${connections === 1 ? 'connection' : 'connections'}`,
    run: async (ways, target) => {
      const cookie = await signInToConsole(target)
      return ways.repeat(connections, (count) => {
        const records = Array.from({ length: 500 }, (_, index) => toRecord(count, index))
        const body = JSON.stringify({ records, on_conflict: 'update' })
        return fromConsole('POST import', { body, cookie })
      })
    },
  }))
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
