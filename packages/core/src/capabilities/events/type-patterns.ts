import { z } from 'zod'
import { suggestName } from '../../base/input/suggest-name.ts'
import { type EventType, eventTypeNames } from './event-types.ts'

const groups = new Set(eventTypeNames.map((name) => `${name.split('.')[0]}.*`))
const patterns = [...eventTypeNames, ...groups]

/** A type of event, a group of them like `user.*`, or `*`. */
export const typePatternSchema = z
  .string()
  .max(100)
  .refine(isTypePattern, {
    params: { code: 'value' },
    error: ({ input }) => {
      const meant = suggestName(String(input), patterns)
      const hint = meant === undefined ? '' : ` (did you mean ${meant}?)`
      return `must be a type of event, a group of them like user.*, or *${hint}`
    },
  })

function isTypePattern(pattern: string): boolean {
  return pattern === '*' || listTypes([pattern])?.length !== 0
}

/** The event types that match patterns; undefined: all of them. */
export function listTypes(patterns: readonly string[]): EventType[] | undefined {
  if (patterns.includes('*')) return undefined
  return eventTypeNames.filter((name) =>
    patterns.some(
      (pattern) =>
        name === pattern || (pattern.endsWith('.*') && name.startsWith(pattern.slice(0, -1))),
    ),
  )
}
