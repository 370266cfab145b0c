import { z } from 'zod'
import type { HttpErrorCode } from '../errors.ts'

/** The id of a user, session, account or key: a UUID in any case, compared in lower case. */
export const idSchema = z
  .guid()
  .overwrite((id) => id.toLowerCase())
  .meta({ format: 'uuid', examples: ['019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f'] })

const idPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Whether it is an id as we write one. A caller's may be in upper case: `idSchema` takes that too. */
export function isId(value: unknown): value is string {
  return typeof value === 'string' && idPattern.test(value)
}

/** Stands before every id (RFC 9562, section 5.9). */
export const lowestId = '00000000-0000-0000-0000-000000000000'

/** The lowest id (UUIDv7) that is made at that time, in milliseconds since the epoch. */
export function lowestIdAt(time: number): string {
  const digits = Math.max(0, Math.floor(time)).toString(16).padStart(12, '0')
  return `${digits.slice(0, 8)}-${digits.slice(8)}-${lowestId.slice(14)}`
}

/** An id in a path. It is opaque there: one of another form names nothing, and is answered by the code for that. */
export function pathIdSchema(absent: HttpErrorCode) {
  return z
    .string()
    .overwrite((id) => id.toLowerCase())
    .refine((id) => z.regexes.guid.test(id), { params: { code: absent } })
    .meta({ format: 'uuid', examples: ['019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f'] })
}
