import fc from 'fast-check'
import { problemOf } from './service.ts'
import {
  type Answer,
  endChallenges,
  endSessions,
  findByEmail,
  normalEmail,
  type State,
} from './state.ts'
import type { Plan } from './step.ts'

// The rule: a user is as it was last written, an address belongs to one user, and a write that names another version
// than the present one changes nothing.

/** Two addresses, in more than one spelling */
export const emails = fc.constantFrom('ada@example.com', 'bob@example.com', ' ADA@Example.com ')
export const names = fc.constantFrom('Ada', 'Bob')
export const passwords = fc.constantFrom('secret1', 'secret2')
/** Which of the things that were made: 0 is the latest */
export const choices = fc.integer({ min: 0, max: 3 })
/** No `If-Match`, the version that was seen last, or the one before */
const tags = fc.constantFrom('none', 'seen', 'former')

export const absent: Answer = { status: 404, code: 'user_not_found' }

export interface NewUser {
  email: string
  name: string
  password: string
}

export function addUser(state: State, user: string, { email, name, password }: NewUser): Answer {
  if (findByEmail(state, email) !== undefined) return { status: 409, code: 'email_taken' }
  state.users[user] = { email: normalEmail(email), name, password, isActive: true, version: 1 }
  state.events.push(`user.created ${user}`)
  return present(state, user, 201)
}

export function present({ users }: State, user: string, status = 200): Answer {
  const found = users[user]
  if (found === undefined) return absent
  const { email, name, isActive, version } = found
  return { status, user, version, email, name, is_active: isActive }
}

export function createUser(input: NewUser): Plan {
  return (service, number) => ({
    words: `create ${JSON.stringify(input)}`,
    ask: async () =>
      service.readUser(await service.send('POST', '/client/user', input), `user${number}`),
    expect: (state) => addUser(state, `user${number}`, input),
  })
}

function readUser(choice: number): Plan {
  return (service, number) => {
    const user = service.pick('user', choice)
    return user === undefined ? undefined : readUserNamed(user)(service, number)
  }
}

export function readUserNamed(user: string): Plan {
  return (service) => {
    const path = `/client/user/${service.valueOf(user)}`
    return {
      words: `read ${user}`,
      ask: async () => service.readUser(await service.send('GET', path), user),
      expect: (state) => present(state, user),
    }
  }
}

interface Replacement {
  choice: number
  tag: string
  email: string
  name: string
  password?: string
  is_active?: boolean
}

function replaceUser({ choice, tag, ...input }: Replacement): Plan {
  return (service) => {
    const user = service.pick('user', choice)
    if (user === undefined) return undefined
    const expected = expectedVersion(service.versions.get(user), tag)
    const path = `/client/user/${service.valueOf(user)}`
    return {
      words: `replace ${user} by ${JSON.stringify(input)}, If-Match ${expected}`,
      ask: async () => {
        const reply = await service.send('PUT', path, input, ifMatch(expected))
        return service.readUser(reply, user)
      },
      expect: (state) => replace(state, user, input, expected),
    }
  }
}

function replace(
  state: State,
  user: string,
  { email, name, password, is_active }: Omit<Replacement, 'choice' | 'tag'>,
  expected: number | undefined,
): Answer {
  const before = state.users[user]
  if (before === undefined) return absent
  if (expected !== undefined && expected !== before.version)
    return { status: 412, code: 'precondition_failed' }
  const holder = findByEmail(state, email)?.[0] ?? user
  if (holder !== user) return { status: 409, code: 'email_taken' }
  const next = { ...before, email: normalEmail(email), name, version: before.version + 1 }
  if (is_active !== undefined) next.isActive = is_active
  if (password !== undefined) next.password = password
  const isSwitched = next.isActive !== before.isActive
  const isEdited = next.email !== before.email || name !== before.name || password !== undefined
  if (!isSwitched && !isEdited) return present(state, user)
  state.users[user] = next
  if (password !== undefined || (isSwitched && !next.isActive)) endSessions(state, user)
  else if (next.email !== before.email) endChallenges(state, user)
  const switched = next.isActive ? 'user.activated' : 'user.deactivated'
  state.events.push(`${isEdited ? 'user.updated' : switched} ${user}`)
  return present(state, user)
}

function deleteUser(choice: number, tag: string): Plan {
  return (service) => {
    const user = service.pick('user', choice)
    if (user === undefined) return undefined
    const expected = expectedVersion(service.versions.get(user), tag)
    const path = `/client/user/${service.valueOf(user)}`
    return {
      words: `delete ${user}, If-Match ${expected}`,
      ask: async () => problemOf(await service.send('DELETE', path, undefined, ifMatch(expected))),
      expect: (state) => {
        const { version } = state.users[user] ?? {}
        if (version === undefined) return absent
        if (expected !== undefined && expected !== version)
          return { status: 412, code: 'precondition_failed' }
        delete state.users[user]
        endSessions(state, user)
        state.events.push(`user.deleted ${user}`)
        return { status: 204 }
      },
    }
  }
}

/** All users, in any order: what is created at once has none. */
export function listUsers(): Plan {
  return (service) => ({
    words: 'list',
    ask: async () => {
      const { status, body } = await service.send('GET', '/client/user?limit=100')
      const data = body.data as { id: string }[] // as the operation is documented
      return { status, total: body.total, users: data.map(({ id }) => service.known(id)).sort() }
    },
    expect: ({ users }) => {
      const all = Object.keys(users).sort()
      return { status: 200, total: all.length, users: all }
    },
  })
}

function expectedVersion(seen: number | undefined, tag: string): number | undefined {
  if (tag === 'none' || seen === undefined) return undefined
  return tag === 'seen' ? seen : seen - 1
}

function ifMatch(version: number | undefined): Record<string, string> {
  return version === undefined ? {} : { 'if-match': `"${version}"` }
}

const often = fc.constant(undefined)
export const userPlans: readonly fc.WeightedArbitrary<Plan>[] = [
  {
    weight: 4,
    arbitrary: fc.record({ email: emails, name: names, password: passwords }).map(createUser),
  },
  { weight: 1, arbitrary: choices.map(readUser) },
  { weight: 1, arbitrary: fc.constant(listUsers()) },
  {
    weight: 5,
    arbitrary: fc
      .record({
        choice: choices,
        tag: tags,
        email: emails,
        name: names,
        password: fc.oneof(often, passwords),
        is_active: fc.oneof(often, fc.boolean()),
      })
      .map(({ password, is_active, ...rest }) =>
        replaceUser({
          ...rest,
          ...(password !== undefined && { password }),
          ...(is_active !== undefined && { is_active }),
        }),
      ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(choices, tags).map(([choice, tag]) => deleteUser(choice, tag)),
  },
]
