import { z } from 'zod'
import { boundedText } from '../../base/input/bounded-text.ts'
import { codePoints } from '../../base/input/input.ts'
import { dateSchema, instantSchema } from '../../base/input/instant.ts'
import { isStorableText } from '../../base/input/json.ts'
import { wholeNumber } from '../../base/input/whole-number.ts'
import { toWireName, wireObject } from '../../base/input/wire-names.ts'
import { toAddressKey } from '../../user-model/address-key.ts'
import { emailSchema } from '../../user-model/email-address.ts'

const sortOrders = ['createdAt', '-createdAt', 'email', '-email', 'name', '-name'] as const
const wireSortOrders = sortOrders.map(toWireName)
const maxPage = 999_999_999_999
const maxLimit = 100
const defaultLimit = 10
export type SortOrder = (typeof sortOrders)[number]

/** The start of a page that a cursor leads to: right after or before the named position. */
export interface CursorPosition {
  direction: 'after' | 'before'
  id: string
  /** The value of the sorted column; null in creation order. */
  value: string | number | null
  /** The number of the page that the cursor leads to. */
  page: number
}

export interface UserFilters {
  email?: string | undefined
  /** A prefix of a word of the name, or of the e-mail, in the form of `toSearchKey`. */
  q?: string | undefined
  role?: string | undefined
  isActive?: boolean | undefined
  /** In milliseconds since the epoch, exclusive, like the next one */
  createdAfter?: number | undefined
  createdBefore?: number | undefined
}

/** The parameters of a list. */
export interface PageRequest extends UserFilters {
  page: number
  limit: number
  /** Creation order when absent. */
  sort?: SortOrder | undefined
  cursor?: CursorPosition | undefined
}

const cursorContent = z.object({
  o: z.enum(wireSortOrders).nullable(),
  d: z.enum(['after', 'before']),
  i: z.guid().toLowerCase(),
  v: z.union([z.string().refine(isStorableText), z.int(), z.null()]),
  p: z.int().min(1).max(maxPage),
})

/** Writes a position as the opaque `cursor` parameter. */
export function encodeCursor(sort: SortOrder | undefined, position: CursorPosition): string {
  const content = {
    o: sort === undefined ? null : toWireName(sort),
    d: position.direction,
    i: position.id,
    v: position.value,
    p: position.page,
  }
  return Buffer.from(JSON.stringify(content)).toString('base64url')
}

function decodeCursor(text: string, sort: SortOrder | undefined): CursorPosition | undefined {
  try {
    const content = cursorContent.parse(JSON.parse(Buffer.from(text, 'base64url').toString()))
    const needsNumber = sort === 'createdAt' || sort === '-createdAt'
    const expected = sort === undefined ? 'object' : needsNumber ? 'number' : 'string'
    const order = sort === undefined ? null : toWireName(sort)
    if (content.o !== order || typeof content.v !== expected) return undefined
    return { direction: content.d, id: content.i, value: content.v, page: content.p }
  } catch {
    return undefined
  }
}

const exampleCursor = encodeCursor(undefined, {
  direction: 'after',
  id: '019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f',
  value: null,
  page: 2,
})

const filters = {
  cursor: codePoints(z.string(), 1, 2048)
    .meta({ examples: [exampleCursor] })
    .optional()
    .describe('Opaque, from the Link header. Excludes page.'),
  email: emailSchema.optional().describe('Exact, after the same normalisation as on creation.'),
  q: boundedText((text) => text.trim(), 1, 254)
    .meta({ examples: ['ada'] })
    .optional()
    .describe('Prefix of a word of the name, or of the e-mail, case-insensitive.'),
  role: codePoints(z.string(), 1, 100)
    .meta({ examples: ['admin'] })
    .optional()
    .describe('Users who have this role.'),
}

/** The parameters of a list that is called in process. */
export const listUsersSchema = z
  .strictObject({
    ...filters,
    sort: z.enum(sortOrders).optional(),
    page: z.int().min(1).max(maxPage).optional(),
    limit: z.int().min(1).max(maxLimit).default(defaultLimit),
    createdAfter: dateSchema.optional(),
    createdBefore: dateSchema.optional(),
    isActive: z.boolean().optional(),
  })
  .transform(toPageRequest)
export type ListUsersInput = z.input<typeof listUsersSchema>

/** The query of `GET /client/user`. */
export const pageQuerySchema = wireObject({
  page: wholeNumber({ maximum: maxPage, format: 'int64' }, 1)
    .optional()
    .meta({ default: 1 })
    .describe('From 1. Excludes cursor.'),
  limit: wholeNumber({ maximum: maxLimit }, defaultLimit)
    .prefault(String(defaultLimit))
    .describe('Users per page.'),
  sort: z
    .enum(wireSortOrders)
    .transform((wire) => sortOrders.find((order) => toWireName(order) === wire))
    .optional()
    .describe('Creation order, oldest first, unless given.'),
  ...filters,
  createdAfter: instantSchema('down')
    .optional()
    .describe(
      'Only users created after this date and time with offset. Sorts by created_at unless sort is given.',
    ),
  createdBefore: instantSchema('up')
    .optional()
    .describe('Only users created before this date and time with offset.'),
  isActive: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional()
    .meta({ type: 'boolean', enum: [true, false] }),
}).transform(toPageRequest)

/** The names of its parameters. */
export const listParameters: ReadonlySet<string> = new Set(Object.keys(pageQuerySchema.in.in.shape))

interface CheckedQuery extends UserFilters {
  page?: number | undefined
  limit: number
  sort?: SortOrder | undefined
  cursor?: string | undefined
}

function toPageRequest(query: CheckedQuery, context: z.RefinementCtx): PageRequest {
  const { cursor: cursorText, page, q, ...rest } = query
  // A period of creation can be read from an index only in the order of creation.
  const isOfSomeTime = query.createdAfter !== undefined || query.createdBefore !== undefined
  const sort = query.sort ?? (isOfSomeTime ? 'createdAt' : undefined)
  const refuse = (name: string, message: string): void => {
    context.addIssue({ code: 'custom', params: { code: 'value' }, path: [name], message })
  }
  const cursor = cursorText === undefined ? undefined : decodeCursor(cursorText, sort)
  if (cursorText !== undefined && page !== undefined)
    refuse('page', 'cannot be given beside cursor')
  if (cursorText !== undefined && !cursor)
    refuse('cursor', 'is not a cursor of a list in this order')
  return {
    ...rest,
    sort,
    // A whole address is found in either spelling of its domain.
    q: q === undefined ? undefined : toAddressKey(q),
    page: cursor?.page ?? page ?? 1,
    cursor,
  }
}
