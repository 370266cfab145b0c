import type { PostgresQuery } from './pool.ts'

const boolean = 16
const wholeNumbers = new Set([20, 21, 23, 1700]) // int8, int2, int4, numeric (the sum of int8)

/** Our columns are text, whole numbers and booleans; JSON stays text, so that its members keep their order. */
export const types: NonNullable<PostgresQuery['types']> = {
  getTypeParser: (oid) => {
    if (oid === boolean) return (text) => text === 't'
    if (wholeNumbers.has(oid)) return Number
    return (text) => text
  },
}
