import type { Attack } from './attack.ts'
import { createMadeUpKey, fromConsole, get, inChunks, introspect, largestBody } from './messages.ts'

/** What a stranger can send. */
export const strangerAttacks: readonly Attack[] = [
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
    name: 'bodies in few tiny chunks',
    from: 'stranger',
    what: 'sign-ins in 94 chunks of one byte, on 200 connections, where the other account opens one for each request',
    meetsNewConnections: true,
    run: (ways) =>
      ways.repeat(200, () => ({ line: 'POST /client/user/auth/login', ...inChunks(94, 1) })),
  },
  {
    name: 'bodies in a few chunks at a time',
    from: 'stranger',
    what: 'sign-ins in 440 chunks, ten of them every 25 ms, on 1,000 connections, where the other account opens one for each request',
    meetsNewConnections: true,
    run: (ways) =>
      ways.inPortions(1_000, 60, 25, () => ({
        line: 'POST /client/user/auth/login',
        ...inChunks(440, 1),
      })),
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
  {
    name: 'long paths',
    from: 'stranger',
    what: 'a user whose id has 12,000 characters, on 200 connections',
    run: (ways) => ways.repeat(200, () => get(`/client/user/${'%41'.repeat(4_000)}`)),
  },
  {
    name: 'paths without a route',
    from: 'stranger',
    what: 'a path that no route has, of 12,000 characters, on 200 connections',
    run: (ways) => ways.repeat(200, () => get(`/${'%41'.repeat(4_000)}`)),
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
]
