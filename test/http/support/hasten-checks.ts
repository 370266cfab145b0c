import { onTestFinished, vi } from 'vitest'

/** Makes the checks of unread responses come every so many milliseconds until the test ends. Returns how many there were. */
export function hastenChecks(milliseconds: number): () => number {
  const { setInterval: set } = globalThis
  let checks = 0
  const spy = vi.spyOn(globalThis, 'setInterval').mockImplementation((work, ms) => {
    if (ms !== 2_001) return set(work, ms)
    return set(() => {
      checks++
      work()
    }, milliseconds)
  })
  onTestFinished(() => spy.mockRestore())
  return () => checks
}
