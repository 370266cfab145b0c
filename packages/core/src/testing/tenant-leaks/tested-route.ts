/**
 * A route of an application, with `{name}` in place of a tenant's object: `/orders/{order_id}`. Values of the query and
 * strings of the body may contain names, too.
 */
export interface TestedRoute {
  /** `GET` */
  method: string
  /** `/orders/{order_id}`, below `baseUrl` */
  path: string
  /** `{ customer: '{customer_id}' }` */
  query?: Record<string, string>
  /** The JSON body: `{ order: '{order_id}', quantity: 1 }` */
  body?: unknown
  /** Whether the body is a form instead of JSON. @default false */
  isForm?: boolean
  /**
   * Header fields in addition to the tenant's; a name stands for an object of the sender:
   * `{ authorization: 'Bearer {token}' }`.
   */
  headers?: Record<string, string>
  /** Whether it changes data. @default true, except for GET, HEAD and OPTIONS */
  changes?: boolean
  /** Whether all tenants may read everything there: then nothing is tried. @default false */
  isPublic?: boolean
}

/** The values for a request's names. */
export type Values = Readonly<Record<string, string>>

const placeholder = /\{(\w+)\}/g

export function changesState({ method, changes }: TestedRoute): boolean {
  return changes ?? !/^(GET|HEAD|OPTIONS)$/i.test(method)
}

/** The names of the objects in a route, without duplicates. */
export function namesOf({ path, query = {}, body }: TestedRoute): string[] {
  return namesIn([path, ...Object.values(query), JSON.stringify(body ?? null)])
}

/** The names of a request's credentials. */
export function credentialsOf({ headers = {} }: TestedRoute): string[] {
  return namesIn(Object.values(headers))
}

function namesIn(texts: readonly string[]): string[] {
  const found = texts.flatMap((text) => [...text.matchAll(placeholder)])
  return [...new Set(found.map(([, name = '']) => name))]
}

/** Makes the request: the objects are `values`, the credentials are the sender's. */
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
