import type { CursorPosition, PageRequest, SortOrder } from '../page.ts'

/** The shape of a list or count statement; each shape is compiled once. */
export interface Shape {
  email: boolean
  q: boolean
  role: boolean
  isActive: boolean
  createdAfter: boolean
  createdBefore: boolean
  sort: SortOrder | undefined
  cursor: CursorPosition['direction'] | undefined
}

export interface ListValues {
  accountId: string
  email: string
  from: string
  to: string
  role: string
  is_active: boolean
  createdAfter: number
  createdBefore: number
  cursorId: string
  cursorValue: string | number
  limit: number
  offset: number
}

export function toShape(request: PageRequest): Shape {
  return {
    email: request.email !== undefined,
    q: request.q !== undefined,
    role: request.role !== undefined,
    isActive: request.isActive !== undefined,
    createdAfter: request.createdAfter !== undefined,
    createdBefore: request.createdBefore !== undefined,
    sort: request.sort,
    cursor: request.cursor?.direction,
  }
}

export function toValues(accountId: string, request: PageRequest): ListValues {
  return {
    accountId,
    email: request.email ?? '',
    from: request.q ?? '',
    to: request.q === undefined ? '' : endOfPrefix(request.q),
    role: request.role ?? '',
    is_active: request.isActive ?? true,
    createdAfter: request.createdAfter ?? 0,
    createdBefore: request.createdBefore ?? 0,
    cursorId: request.cursor?.id ?? '',
    cursorValue: request.cursor?.value ?? '',
    // With a cursor the total does not tell whether more users follow: so one row more is read.
    limit: request.limit + (request.cursor === undefined ? 0 : 1),
    offset: (request.page - 1) * request.limit,
  }
}

export function isFiltered(shape: Shape): boolean {
  return shape.email || shape.q || shape.role || hasFurtherFilters(shape)
}

/** Whether a filter needs the user's own row. */
export function hasFurtherFilters(shape: Shape): boolean {
  return shape.isActive || shape.createdAfter || shape.createdBefore
}

export function withoutFurtherFilters(shape: Shape): Shape {
  return { ...shape, isActive: false, createdAfter: false, createdBefore: false }
}

/** The lowest text that sorts after every text with the prefix. */
function endOfPrefix(prefix: string): string {
  const points = [...prefix]
  while (points.length > 0) {
    const last = points.pop()?.codePointAt(0) ?? 0
    if (last < 0x10ffff) {
      const next = last + 1
      // Surrogates are not code points: U+E000 follows U+D7FF.
      return (
        points.join('') + String.fromCodePoint(next >= 0xd800 && next <= 0xdfff ? 0xe000 : next)
      )
    }
  }
  return '\u{10FFFF}\u{10FFFF}'
}
