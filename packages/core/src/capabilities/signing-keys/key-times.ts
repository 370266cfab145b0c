import { latestEnd } from '../../base/runtime/latest-end.ts'
import type { SigningKeyRecord } from './store.ts'

/** How long after its retirement a key may still have signed, in a process whose clock is behind */
const lateMs = 10_000

/** The times of a key that a wrong clock may have set */
type KeyStart = Pick<SigningKeyRecord, 'createdAt' | 'signsAt'>
type KeyTimes = Pick<SigningKeyRecord, 'signsAt' | 'retiredAt' | 'tokenLifeSeconds'>
type TimedKey = KeyStart & Pick<SigningKeyRecord, 'algorithm' | 'retiredAt'>

/**
 * Whether a key was made while the clock was ahead: it would have to wait longer now than when it was made. It need not
 * wait at all.
 */
export function isOfWrongClock({ createdAt, signsAt }: KeyStart, now: number): boolean {
  return signsAt > latestEnd(now, Math.max(0, signsAt - createdAt))
}

/** Whether a key waits until verifiers know it. */
export function isPending(key: KeyStart, now: number): boolean {
  return key.signsAt > now && !isOfWrongClock(key, now)
}

/** `pending`: published but not signing yet. `retired`: it verifies until its last token has expired. */
export type SigningKeyStatus = 'pending' | 'active' | 'retired'

export function statusOf(key: TimedKey, now: number): SigningKeyStatus {
  if (key.retiredAt !== null && key.retiredAt <= now) return 'retired'
  return isPending(key, now) ? 'pending' : 'active'
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
  return usable.findLast((key) => !isPending(key, now)) ?? usable[0]
}
