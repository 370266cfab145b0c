import { expect, test } from 'vitest'
import {
  chooseEndpoints,
  type RunningTurn,
  type TurnKind,
} from '../../packages/core/src/capabilities/webhooks/delivery/choose-endpoints.ts'

const dueOf = (accountId: string, count = 1) =>
  Array.from({ length: count }, (_, index) => ({ accountId, id: `${accountId} ${index}` }))
const turnOf = (accountId: string, webhookId: string, kind: TurnKind): RunningTurn => ({
  accountId,
  webhookId,
  kind,
})
const others = Array.from({ length: 200 }, (_, index) => `other ${index}`)

test('slow endpoints have 64 turns, and 32 more of accounts without one', () => {
  const one = chooseEndpoints(dueOf('busy', 10), new Set(), 'slow')
  expect(one.chosen).toHaveLength(10)
  const many = chooseEndpoints(
    others.flatMap((name) => dueOf(name)),
    new Set(),
    'slow',
  )
  expect([many.chosen.length, many.left.length]).toEqual([96, 104])
  const turns = new Set(others.slice(0, 64).map((name) => turnOf(name, `${name} x`, 'slow')))
  const more = chooseEndpoints(dueOf('other 0'), turns, 'slow')
  expect([more.chosen.length, more.left.length]).toEqual([0, 1])
  expect(chooseEndpoints(dueOf('none'), turns, 'slow').chosen).toHaveLength(1)
})

test('turns of quick endpoints put no slow one of the account behind', () => {
  const turns = new Set([turnOf('busy', 'quick', 'quick')])
  const due = [...dueOf('busy'), ...others.flatMap((name) => dueOf(name))]
  const { chosen } = chooseEndpoints(due, turns, 'slow')
  expect(chosen[0]).toEqual({ accountId: 'busy', id: 'busy 0' })
})

test('an endpoint whose turn is running, or whose account has twenty, waits for no room', () => {
  const running = new Set([turnOf('busy', 'busy 0', 'slow')])
  expect(chooseEndpoints(dueOf('busy'), running, 'slow')).toEqual({ chosen: [], left: [] })
  const twenty = new Set(dueOf('busy', 20).map(({ id }) => turnOf('busy', `former ${id}`, 'slow')))
  expect(chooseEndpoints(dueOf('busy'), twenty, 'slow')).toEqual({ chosen: [], left: [] })
})
