import type { SigningKeyRecord } from './store.ts'

/** How long after its retirement a key may still have signed, in a process whose clock is behind */
const lateMs = 10_000

type KeyTimes = Pick<SigningKeyRecord, 'signsAt' | 'retiredAt' | 'tokenLifeSeconds'>
type TimedKey = Pick<SigningKeyRecord, 'algorithm' | 'signsAt' | 'retiredAt'>

/** `pending`: published but not signing yet. `retired`: it verifies until its last token has expired. */
export type SigningKeyStatus = 'pending' | 'active' | 'retired'

export function statusOf({ signsAt, retiredAt }: TimedKey, now: number): SigningKeyStatus {
  if (retiredAt !== null && retiredAt <= now) return 'retired'
  return signsAt > now ? 'pending' : 'active'
}

/** Whether the last token that a retired key can have signed has expired at that time. */
export function isDead({ retiredAt, tokenLifeSeconds }: KeyTimes, now: number): boolean {
  return retiredAt !== null && retiredAt + tokenLifeSeconds * 1000 <= now - lateMs
}

/** The key of an algorithm that has no successor yet. */
export function findLatest<Key extends TimedKey>(
  keys: readonly Key[],
  algorithm: string,
): Key | undefined {
  return keys.find((key) => key.algorithm === algorithm && key.retiredAt === null)
}

/**
 * The key of an algorithm that signs now, from keys in the order of their age. If the previous key was removed, a
 * pending key signs early.
 */
export function findSigner<Key extends TimedKey>(
  keys: readonly Key[],
  algorithm: string,
  now: number,
): Key | undefined {
  const usable = keys.filter(
    (key) => key.algorithm === algorithm && statusOf(key, now) !== 'retired',
  )
  return usable.findLast((key) => key.signsAt <= now) ?? usable[0]
}
