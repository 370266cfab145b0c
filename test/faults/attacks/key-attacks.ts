import type { Attack } from './attack.ts'
import {
  changeUser,
  createBadToken,
  createUnknownToken,
  fillBody,
  fromConsole,
  largestBody,
  postAs,
  validate,
} from './messages.ts'
import { signInToConsole } from './sign-in-to-console.ts'

/** What a key's holder can send. */
export const keyAttacks: readonly Attack[] = [
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
    name: 'tokens of unknown keys',
    from: "key's holder",
    what: 'batches of 100, on 150 connections',
    run: (ways, target) =>
      ways.repeat(150, (count) => {
        const tokens = Array.from({ length: 100 }, (_, index) =>
          createUnknownToken(target, count * 100 + index),
        )
        return postAs(target, '/auth/validation-tokens', JSON.stringify({ tokens }))
      }),
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
    name: 'usual requests',
    from: "key's holder",
    what: 'validations of a good token, on 100 connections',
    run: (ways, target) => ways.repeat(100, () => validate(target)),
  },
  ...[16, 300].map(
    (connections): Attack => ({
      name: `QR codes, ${connections} at once`,
      from: "key's holder",
      what: `of authenticator apps that begin to be enrolled, on ${connections} connections`,
      run: (ways, target) => {
        const path = `/${target.userId}/two-factor/totp?qr=svg`
        return ways.repeat(connections, () => postAs(target, path, '{}'))
      },
    }),
  ),
]

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
