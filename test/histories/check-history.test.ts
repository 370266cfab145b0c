import { expect, test } from 'vitest'
import { checkHistory, type RuleName } from './check-history.ts'
import type { History, Operation, Question, SeenEvent, SeenUser, Told } from './history.ts'

const ada = { id: 'ada', email: 'ada@example.com' }

/** A question from one moment to another; without an answer its outcome is unknown. */
function ask(id: string, [start, end]: [number, number], asked: Question, told?: Told): Operation {
  return { id, start, end, asked, ...(told !== undefined && { told }) }
}

function create(id: string, times: [number, number], user = ada): Operation {
  const told = { status: 201, user: { ...user, counts: {} } }
  return ask(id, times, { kind: 'create', email: user.email }, told)
}

function change(
  id: string,
  times: [number, number],
  { count = 1, member = 'a', etag }: { count?: number; member?: string; etag?: string } = {},
): Operation {
  const asked = { kind: 'change', userId: 'ada', member, count, ...(etag && { etag }) } as const
  return ask(id, times, asked, { status: 200 })
}

function read(id: string, times: [number, number], told: Told): Operation {
  return ask(id, times, { kind: 'read', userId: 'ada' }, told)
}

function refresh(id: string, times: [number, number], [from, to]: [string, string]): Operation {
  const asked = { kind: 'refresh', refreshToken: from } as const
  return ask(id, times, asked, { status: 200, refreshToken: to })
}

function remove(id: string, times: [number, number], told?: Told): Operation {
  return ask(id, times, { kind: 'delete', userId: 'ada' }, told)
}

const adaWith = (counts: Record<string, number>): SeenUser => ({ ...ada, counts })
const types: Partial<Record<Question['kind'], string>> = {
  create: 'user.created',
  change: 'user.updated',
  delete: 'user.deleted',
}

function eventOf({ id, asked }: Operation): SeenEvent[] {
  const type = types[asked.kind]
  if (type === undefined) return []
  const counts: Record<string, number> =
    asked.kind === 'change' ? { [asked.member]: asked.count } : {}
  return [{ id: `event of ${id}`, type, requestId: id, userId: 'ada', counts }]
}

/** A history in which each acknowledged change has its event, which two readers and the webhook got. */
function historyOf(operations: Operation[], parts: Partial<History> = {}): History {
  const isDone = ({ told }: Operation) => told !== undefined && told.status < 300
  const feed = parts.feed ?? operations.filter(isDone).flatMap(eventOf)
  const ids = feed.map(({ id }) => id)
  const users = operations.some(({ asked }) => asked.kind === 'create') ? [ada] : []
  return {
    operations,
    feed,
    followed: [ids, ids],
    users: users.map((user) => ({ ...user, counts: { a: 9, b: 9 } })),
    webhookTypes: ['user.created', 'user.updated'],
    received: ids.filter((_, index) => feed[index]?.type !== 'user.deleted'),
    ...parts,
  }
}

const created = create('q0', [0, 1])

const kept: Record<string, History> = {
  'one winner of an ETag, and the others refused': historyOf([
    created,
    change('q1', [2, 5], { etag: '"1"' }),
    ask(
      'q2',
      [2, 5],
      { kind: 'change', userId: 'ada', member: 'b', count: 1, etag: '"1"' },
      {
        status: 412,
      },
    ),
    read('q3', [6, 7], { status: 200, user: adaWith({ a: 1 }) }),
  ]),
  'a read beside a change sees it or not': historyOf([
    created,
    change('q1', [2, 5]),
    read('q2', [3, 4], { status: 200, user: adaWith({}) }),
    read('q3', [3, 4], { status: 200, user: adaWith({ a: 1 }) }),
  ]),
  'a change without an answer, with or without an event': historyOf(
    [created, ask('q1', [2, 5], { kind: 'change', userId: 'ada', member: 'a', count: 1 })],
    {},
  ),
  'an e-mail that a deleted user had': historyOf(
    [
      created,
      remove('q1', [2, 3], { status: 204 }),
      create('q2', [2, 4], { ...ada, id: 'second' }),
    ],
    { users: [{ ...ada, id: 'second', counts: {} }] },
  ),
  'one successor for two tabs': historyOf([
    refresh('q1', [0, 2], ['t0', 't1']),
    refresh('q2', [1, 3], ['t0', 't1']),
    refresh('q3', [4, 5], ['t1', 't2']),
  ]),
  'a webhook that came twice': historyOf([created], { received: ['event of q0', 'event of q0'] }),
}

test.each(Object.entries(kept))('is sound: %s', (_, history) => {
  expect(checkHistory(history)).toEqual({})
})

const events = (...operations: Operation[]) => operations.flatMap(eventOf)
const updated = change('q1', [2, 3])
const again = change('q2', [4, 5], { count: 2 })
const told200 = { status: 200 }

const broken: [what: string, rule: RuleName, history: History][] = [
  [
    'two winners of one ETag',
    'lost updates',
    historyOf([
      created,
      change('q1', [2, 5], { etag: '"1"' }),
      change('q2', [2, 5], { etag: '"1"', member: 'b' }),
    ]),
  ],
  [
    'a change that is gone at the end',
    'lost updates',
    historyOf([created, updated], { users: [adaWith({})] }),
  ],
  [
    'a read that does not see an earlier change',
    'stale reads',
    historyOf([created, updated, read('q2', [4, 5], { status: 200, user: adaWith({}) })]),
  ],
  [
    'a read of a deleted user',
    'stale reads',
    historyOf(
      [
        created,
        remove('q1', [2, 3], { status: 204 }),
        read('q2', [4, 5], { status: 200, user: adaWith({}) }),
      ],
      { users: [] },
    ),
  ],
  [
    'a read that does not find a created user',
    'stale reads',
    historyOf([created, read('q1', [2, 3], { status: 404 })]),
  ],
  ['a created user that is gone at the end', 'stale reads', historyOf([created], { users: [] })],
  [
    'a token that is taken after its session has ended',
    'stale reads',
    historyOf([
      ask('q1', [0, 1], { kind: 'log out', refreshToken: 't0', token: 'jwt' }, { status: 204 }),
      ask('q2', [2, 3], { kind: 'validate', token: 'jwt' }, told200),
    ]),
  ],
  [
    'two users who were created with one e-mail',
    'duplicate e-mails',
    historyOf([created, create('q1', [0, 2], { ...ada, id: 'second' })], {
      users: [adaWith({}), { ...ada, id: 'second', counts: {} }],
    }),
  ],
  [
    'a list with one e-mail twice',
    'duplicate e-mails',
    historyOf([
      created,
      ask(
        'q1',
        [2, 3],
        { kind: 'find', email: ada.email },
        {
          status: 200,
          users: [adaWith({}), { ...ada, id: 'second', counts: {} }],
        },
      ),
    ]),
  ],
  [
    'a change without an event',
    'wrong events',
    historyOf([created, updated], { feed: events(created) }),
  ],
  [
    'a change with two events',
    'wrong events',
    historyOf([created, updated], {
      feed: [...events(created, updated), ...events(updated).map((e) => ({ ...e, id: 'second' }))],
    }),
  ],
  [
    'an event of a refused change',
    'wrong events',
    historyOf([created, { ...updated, told: { status: 412 } }], { feed: events(created, updated) }),
  ],
  ['an event that nothing asked for', 'wrong events', historyOf([], { feed: events(updated) })],
  [
    'events in another order than their changes',
    'wrong events',
    historyOf([created, updated, again], { feed: events(created, again, updated) }),
  ],
  [
    'a reader that an event passed by',
    'wrong events',
    historyOf([created, updated, again], { followed: [['event of q0', 'event of q2']] }),
  ],
  [
    'a reader that got an event twice',
    'wrong events',
    historyOf([created, updated], { followed: [['event of q0', 'event of q0', 'event of q1']] }),
  ],
  [
    'two successors of one token',
    'forked tokens',
    historyOf([refresh('q1', [0, 2], ['t0', 't1']), refresh('q2', [1, 3], ['t0', 't2'])]),
  ],
  [
    'a token that is taken when its successor was used',
    'forked tokens',
    historyOf([
      refresh('q1', [0, 1], ['t0', 't1']),
      refresh('q2', [2, 3], ['t1', 't2']),
      refresh('q3', [4, 5], ['t0', 't1']),
    ]),
  ],
  [
    'an event that the webhook did not get',
    'lost webhooks',
    historyOf([created], { received: [] }),
  ],
  [
    'a webhook of an event that is not in the feed',
    'lost webhooks',
    historyOf([created], { received: ['event of q0', 'another'] }),
  ],
]

test.each(broken)('is found: %s', (_, rule, history) => {
  expect(Object.keys(checkHistory(history))).toEqual([rule])
})
