import { expect, test } from 'vitest'
import { judge } from './judge.ts'
import type { Sample } from './measure.ts'

/** Nine samples of a run whose rows and sizes are given by the sample's number */
function sample(read: (number: number) => Partial<Sample>): Sample[] {
  return Array.from({ length: 9 }, (_, index) => ({
    ...{ minute: index + 1, memoryMiB: 200, heapMiB: 50, openFiles: 60, handles: 10 },
    ...{ rows: new Map(), indexKiB: new Map() },
    ...read(index + 1),
  }))
}

function findFaults(samples: Sample[], daysPerMinute: number): string[] {
  return judge(samples, daysPerMinute)
    .filter(({ verdict }) => verdict !== 'flat')
    .map(({ name, verdict }) => `${name}: ${verdict}`)
}

test('what stays within bounds is flat', () => {
  const rows = (number: number) => new Map([['clientele_users', 100 + (number % 2) * 20]])
  expect(
    findFaults(
      sample((number) => ({ rows: rows(number) })),
      20,
    ),
  ).toEqual([])
})

test('a table that only grows is named, once what is in it has had time to expire', () => {
  const grown = sample((number) => ({ rows: new Map([['clientele_replies', number * 1_000]]) }))
  expect(findFaults(grown, 1)).toEqual(['clientele_replies: GROWS'])
  expect(findFaults(grown, 0.1)).toEqual([
    'clientele_replies: grows until day 2: responses are kept for a day',
  ])
})

test('so are memory, handles, open files, an index, and a table without a rule', () => {
  const grown = sample((number) => ({
    ...{ memoryMiB: 150 * number, openFiles: 50 * number, handles: 20 * number },
    rows: new Map([
      ['clientele_users', 1],
      ['clientele_news', 1],
    ]),
    indexKiB: new Map([['clientele_users_by_email', 1_000 * number]]),
  }))
  expect(findFaults(grown, 20)).toEqual([
    'resident memory, MiB: GROWS',
    'open files: GROWS',
    'handles: GROWS',
    'clientele_users_by_email, KiB: GROWS',
    'clientele_news: has no RULE',
  ])
})
