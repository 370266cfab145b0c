import { afterEach, describe, expect, test, vi } from 'vitest'
import { createMarks } from '../faults/hostile-calls.ts'
import { codeOf, issuesOf, openClientele } from '../keys/open-clientele.ts'

afterEach(() => vi.restoreAllMocks())

/** The length of the longest text that is normalised while something is done. */
async function findLongestNormalized(work: () => Promise<unknown>): Promise<number> {
  const normalize = vi.spyOn(String.prototype, 'normalize')
  await work()
  const lengths = normalize.mock.contexts.map((text) => String(text).length)
  normalize.mockRestore()
  return Math.max(0, ...lengths)
}

test('a text of more than four times its limit is refused before it is normalised', async () => {
  const clientele = await openClientele('sqlite::memory:')
  const { id } = await clientele.accounts.create({ name: 'Acme' })
  const longest = await findLongestNormalized(async () => {
    const credentials = { email: 'ada@example.com', password: '\u00e9'.repeat(4_001) }
    expect(await codeOf(clientele.auth.logIn(id, credentials))).toBe('validation_failed')
  })
  expect(longest).toBeLessThan(100)
  await clientele.close()
})

// Ordering a run of marks takes time by the square of its length.
describe('a run of marks', () => {
  test('that stays too long in any order is refused before it is sorted', async () => {
    const clientele = await openClientele('sqlite::memory:')
    const { id } = await clientele.accounts.create({ name: 'Acme' })
    const logIn = (email: string, password: string) =>
      codeOf(clientele.auth.logIn(id, { email, password }))
    const longest = await findLongestNormalized(async () => {
      expect(await logIn('ada@example.com', createMarks(3_998))).toBe('validation_failed')
      expect(await logIn(`${createMarks(1_200)}@example.com`, 'password')).toBe('validation_failed')
    })
    expect(longest).toBeLessThan(100)
    await clientele.close()
  })

  test('is accepted up to its maximum, also with marks of two units and joined marks', async () => {
    const clientele = await openClientele('sqlite::memory:')
    const { id } = await clientele.accounts.create({ name: 'Acme' })
    const logIn = (password: string) =>
      codeOf(clientele.auth.logIn(id, { email: 'ada@example.com', password }))
    // NFC makes one letter of the first three: 1,000 code points are left.
    expect(await logIn(`u\u0308\u0304${'\u0315'.repeat(999)}`)).toBe('credentials_invalid')
    expect(await logIn(`a${'\u{1d165}'.repeat(999)}`)).toBe('credentials_invalid')
    const create = (name: string) =>
      issuesOf(clientele.users.create(id, { name, email: 'a@example.com', password: 'password' }))
    for (const count of [50, 55, 80, 150])
      expect(await create(`b${'\u0315'.repeat(count)}`)).toMatchObject([
        { pointer: '/name', code: 'too_long' },
      ])
    expect(await create(`b${'\u0315'.repeat(49)}`)).toEqual([])
    await clientele.close()
  })
})
