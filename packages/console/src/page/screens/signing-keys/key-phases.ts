import type { SigningKey } from './signing-key.ts'

/** A part of a key's life, in milliseconds since the epoch. */
export interface KeyPhase {
  kind: 'published' | 'signing' | 'retired'
  from: number
  to: number
}

/** The drawn time span: the known lifetimes of all keys, and some time ahead. */
export interface DrawnTime {
  from: number
  to: number
  now: number
}

export function findDrawnTime(keys: readonly SigningKey[], now: number): DrawnTime {
  const times = keys.flatMap((key) =>
    [key.created_at, key.signs_at, key.retired_at].flatMap((time) =>
      time === null ? [] : [Date.parse(time)],
    ),
  )
  const from = Math.min(now, ...times)
  const last = Math.max(now, ...times)
  return { from, to: last + Math.max(60_000, (last - from) * 0.12), now }
}

export function listPhases(key: SigningKey, { to }: DrawnTime): KeyPhase[] {
  const [created, signs] = [Date.parse(key.created_at), Date.parse(key.signs_at)]
  const retired = key.retired_at === null ? undefined : Date.parse(key.retired_at)
  const phases: KeyPhase[] = []
  const published = Math.min(signs, retired ?? signs)
  if (published > created) phases.push({ kind: 'published', from: created, to: published })
  if (everSigns(key)) phases.push({ kind: 'signing', from: signs, to: retired ?? to })
  if (retired !== undefined) phases.push({ kind: 'retired', from: retired, to })
  return phases
}

/** Whether a key ever signs: a key that was retired before it began to sign does not. */
export function everSigns({ signs_at: signsAt, retired_at: retiredAt }: SigningKey): boolean {
  return retiredAt === null || Date.parse(retiredAt) > Date.parse(signsAt)
}

/** The next time at which something changes by itself; undefined: nothing does. */
export function findNextChange(keys: readonly SigningKey[], now: number): number | undefined {
  const times = keys
    .flatMap((key) => [key.signs_at, key.retired_at])
    .map((time) => (time === null ? 0 : Date.parse(time)))
    .filter((time) => time > now)
  return times.length === 0 ? undefined : Math.min(...times)
}
