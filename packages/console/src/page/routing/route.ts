import { signal } from '@preact/signals'

/**
 * The current place in the page: the part of the address after `#`, which works under any prefix and is not sent to a
 * server.
 */
export interface Route {
  /** `['a', '<account id>', 'users', '<user id>']` */
  segments: readonly string[]
  query: URLSearchParams
}

/** The current place, as in the address */
let place = '#/'

export const route = signal<Route>(readRoute())

let holds = 0
let isBehind = false

function followAddress(): void {
  isBehind = holds > 0
  if (!isBehind) route.value = readRoute()
}

addEventListener('hashchange', followAddress)

/** Keeps the page at its place, also when the address changes, until the returned function is called. */
export function holdPlace(): () => void {
  holds++
  return () => {
    holds--
    // What is shown instead, in the same step, may hold the place on.
    queueMicrotask(() => {
      if (isBehind) followAddress()
    })
  }
}

function readRoute(): Route {
  // A one-time link is not a place: the page stays.
  if (readLink(location.hash) === undefined) place = location.hash || '#/'
  const text = place.replace(/^#\/?/, '')
  const mark = text.indexOf('?')
  const path = mark === -1 ? text : text.slice(0, mark)
  const segments = path.split('/').filter((segment) => segment !== '')
  return {
    segments: segments.map(decode),
    query: new URLSearchParams(mark === -1 ? '' : text.slice(mark + 1)),
  }
}

/** The text after `#link=` in an address, or in a part of it. */
export function readLink(text: string): string | undefined {
  return /#link=([\w-]+)$/.exec(text)?.[1]
}

/** Removes a one-time link from the address, before other code can read it there. */
export function takeLink(): string | undefined {
  const link = readLink(location.hash)
  if (link !== undefined) history.replaceState(null, '', place)
  return link
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

type QueryInput = Readonly<Record<string, string | number | undefined>>

/** The address of a place in the page, for links. */
export function toHref(segments: readonly string[], query: QueryInput = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  )
  const search = given.length === 0 ? '' : `?${new URLSearchParams(given)}`
  return `#/${segments.map(encodeURIComponent).join('/')}${search}`
}

/** Goes to another place; `replace` leaves no step to go back to. */
export function navigate(href: string, { replace = false } = {}): void {
  if (!replace) {
    location.hash = href
    return
  }
  history.replaceState(null, '', href)
  route.value = readRoute()
}
