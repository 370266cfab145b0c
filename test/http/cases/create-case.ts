import { created, invalid } from '../support/answers.ts'
import { ada, type Case, newAda, row } from './case.ts'

export type Issue = Parameters<typeof invalid>[number]

/** A create that is accepted, and how it comes back. */
export const accepts = (name: string, input: object, stored: object = input): Case =>
  row(
    `create: ${name}`,
    { method: 'POST', json: { ...newAda, ...input } },
    created({ ...ada, ...stored }),
  )

/** A create that is refused, for these reasons. */
export const refuses = (name: string, input: object, ...issues: Issue[]): Case =>
  row(`create: ${name}`, { method: 'POST', json: { ...newAda, ...input } }, invalid(...issues))

/** The same for text that no JSON writer would write. */
export const refusesText = (name: string, body: string, ...issues: Issue[]): Case =>
  row(
    `create: ${name}`,
    { method: 'POST', headers: ['content-type', 'application/json'], body },
    invalid(...issues),
  )

/** Metadata with this number of entries. */
export const entries = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]))
