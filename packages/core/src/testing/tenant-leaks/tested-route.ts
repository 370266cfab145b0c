/**
 * One route of an application, with `{name}` where an object of a tenant stands: `/orders/{order_id}`. A name may also stand
 * in values of the query and in texts of the body.
 */
export interface TestedRoute {
  /** `GET` */
  method: string
  /** `/orders/{order_id}`, below `baseUrl` */
  path: string
  /** `{ customer: '{customer_id}' }` */
  query?: Record<string, string>
  /** What is sent as JSON: `{ order: '{order_id}', quantity: 1 }` */
  body?: unknown
  /** Whether the body is a form, and not JSON. @default false */
  isForm?: boolean
  /**
   * Fields besides those of the tenant; a name stands for an object of whoever asks: `{ authorization: 'Bearer {token}' }`.
   */
  headers?: Record<string, string>
  /** Whether it changes something. @default true, but for GET, HEAD and OPTIONS */
  changes?: boolean
  /** Whether everybody may read everything there: nothing is tried then. @default false */
  isPublic?: boolean
}

/** The values of a request's names. */
export type Values = Readonly<Record<string, string>>

const placeholder = /\{(\w+)\}/g

export function changesState({ method, changes }: TestedRoute): boolean {
  return changes ?? !/^(GET|HEAD|OPTIONS)$/i.test(method)
}

/** The names of the objects that a route is about, each once. */
export function namesOf({ path, query = {}, body }: TestedRoute): string[] {
  return namesIn([path, ...Object.values(query), JSON.stringify(body ?? null)])
}

/** The names of what a request needs to be let in. */
export function credentialsOf({ headers = {} }: TestedRoute): string[] {
  return namesIn(Object.values(headers))
}

function namesIn(texts: readonly string[]): string[] {
  const found = texts.flatMap((text) => [...text.matchAll(placeholder)])
  return [...new Set(found.map(([, name = '']) => name))]
}

/** Makes the request: the objects are `values`, the credentials are those of whoever sends it. */
export function toRequest(
  baseUrl: string,
  route: TestedRoute,
  values: Values,
  sender: { headers: Values; objects: Values },
): Request {
  const { method, body, isForm = false } = route
  const path = fill(route.path, values, encodeURIComponent)
  const query = new URLSearchParams(fillAll(route.query ?? {}, values)).toString()
  const headers = new Headers(sender.headers)
  for (const [name, value] of Object.entries(fillAll(route.headers ?? {}, sender.objects)))
    headers.set(name, value)
  const url = `${baseUrl.replace(/\/$/, '')}${path}${query === '' ? '' : `?${query}`}`
  if (body === undefined) return new Request(url, { method, headers, redirect: 'manual' })
  const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json'
  if (!headers.has('content-type')) headers.set('content-type', type)
  const filled: unknown = JSON.parse(JSON.stringify(body), (_name, value: unknown) =>
    typeof value === 'string' ? fill(value, values) : value,
  )
  const text = isForm ? new URLSearchParams(Object(filled)).toString() : JSON.stringify(filled)
  return new Request(url, { method, headers, body: text, redirect: 'manual' })
}

function fillAll(texts: Record<string, string>, values: Values): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, fill(text, values)]))
}

function fill(text: string, values: Values, encode = (value: string) => value): string {
  return text.replace(placeholder, (whole, name: string) => {
    const value = values[name]
    return value === undefined ? whole : encode(value)
  })
}
