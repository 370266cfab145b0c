import { z } from 'zod'
import type { HttpErrorCode } from '../errors.ts'

/** The id of a user, session, account or key: a UUID in any case, converted to lower case. */
export const idSchema = z
  .guid()
  .overwrite((id) => id.toLowerCase())
  .meta({ format: 'uuid', examples: ['019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f'] })

const idPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Whether a text is a lower-case UUID. `idSchema` takes upper case too. */
export function isId(value: unknown): value is string {
  return typeof value === 'string' && idPattern.test(value)
}

/** The prefix of a UUID as a URN (RFC 9562, section 5.9). */
export const lowestId = '00000000-0000-0000-0000-000000000000'

/** The lowest UUIDv7 of a point in time, in milliseconds since the epoch. */
export function lowestIdAt(time: number): string {
  const digits = Math.max(0, Math.floor(time)).toString(16).padStart(12, '0')
  return `${digits.slice(0, 8)}-${digits.slice(8)}-${lowestId.slice(14)}`
}

/** The time in a UUIDv7, in milliseconds since the epoch; undefined for another text. */
export function timeOfId(id: string): number | undefined {
  if (!isId(id) || id.charAt(14) !== '7') return undefined
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
}

/** An id in a path. It is opaque there: an id of another form is answered as not found. */
export function pathIdSchema(absent: HttpErrorCode) {
  return z
    .string()
    .overwrite((id) => id.toLowerCase())
    .refine((id) => z.regexes.guid.test(id), { params: { code: absent } })
    .meta({ format: 'uuid', examples: ['019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f'] })
}
