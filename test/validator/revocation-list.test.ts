import { expect, onTestFinished, test, vi } from 'vitest'
import { type Revocation, RevocationList } from '../../packages/validator/src/revocation-list.ts'

const at = Date.now() - 60_000
const idOf = (time: number) => {
  const digits = time.toString(16).padStart(12, '0')
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7000-8000-000000000000`
}
const [sub, kid] = ['a user', 'a key']
const dead: Revocation = {
  ...{ type: 'user', user_id: sub, not_before: new Date(at).toISOString() },
  own_tokens_not_before: new Date(at + 10_000).toISOString(),
}
/** As an activation has it */
const { own_tokens_not_before: _, ...milder } = dead
const ofProgram = {
  ...{ iss: 'an issuer', aud: 'an account', sub, amr: [] as string[], exp: at / 1000 + 600 },
  ...{ iat: Math.floor((at + 1_000) / 1000), jti: idOf(at + 1_000) },
  ...{ sid: idOf(at - 1_000), user_token_id: idOf(at - 1_000), scope: '' },
}
/** Of a sign-in */
const { user_token_id: __, ...ofSignIn } = ofProgram

test.each([[[dead, milder]], [[milder, dead]]])(
  'no entry takes the place of another one of the same millisecond',
  (entries) => {
    const list = new RevocationList(600_000)
    for (const entry of [...entries, ...entries]) list.add(entry)
    expect(list.has(ofProgram, kid)).toBe(true)
  },
)

test('as many entries of one user as changes within a lifetime keep the loop free, and the last one counts', () => {
  const list = new RevocationList(600_000)
  const count = 40_000
  for (let index = 0; index < count; index++)
    list.add({ ...milder, not_before: new Date(at - count + index).toISOString() })
  const tokenOf = (time: number) => ({
    ...ofSignIn,
    ...{ iat: Math.floor(time / 1000), jti: idOf(time), sid: idOf(time) },
  })
  expect(list.has(tokenOf(at - 1), kid)).toBe(true)
  expect(list.has(tokenOf(at), kid)).toBe(false)
})

test('an entry that keeps a session stands beside one that keeps another, and beside one that keeps none', () => {
  const [kept, other] = [idOf(at - 2_000), idOf(at - 3_000)]
  const token = { ...ofSignIn, iat: Math.floor((at - 1_000) / 1000), jti: idOf(at - 1_000) }
  const tokenOf = (sid: string) => ({ ...token, sid })
  const keeping = (sid: string): Revocation => ({ ...milder, except_session_id: sid })
  const list = new RevocationList(600_000)
  list.add(keeping(kept))
  expect([list.has(tokenOf(kept), kid), list.has(tokenOf(other), kid)]).toEqual([false, true])
  list.add(keeping(other))
  expect([list.has(tokenOf(kept), kid), list.has(tokenOf(other), kid)]).toEqual([true, true])
  const before = new RevocationList(600_000)
  before.add({ ...milder, not_before: new Date(at - 1_500).toISOString() })
  before.add(keeping(kept))
  expect(before.has(tokenOf(kept), kid)).toBe(true)
})

test('the time of a clock that was corrected does not come back with a later entry', () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] })
  onTestFinished(() => {
    vi.useRealTimers()
  })
  const minute = 60_000
  const start = Date.UTC(2026, 0, 1)
  const list = new RevocationList(130 * minute)
  const end = () => list.add({ ...milder, not_before: new Date().toISOString() })
  vi.setSystemTime(start + 90 * minute)
  end()
  vi.setSystemTime(start)
  vi.advanceTimersByTime(40 * minute)
  end()
  vi.advanceTimersByTime(minute)
  const id = idOf(Date.now())
  const token = { ...ofSignIn, iat: Math.floor(Date.now() / 1000), jti: id, sid: id }
  expect(list.has(token, kid)).toBe(false)
})
