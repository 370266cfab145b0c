import type { TestedRoute } from './tested-route.ts'

/** The members that are read from an OpenAPI document of version 3: ours, or that of your framework. */
export interface DescribedApi {
  paths: Record<string, Record<string, unknown>>
}

export interface DescribedRoutesOptions {
  /** The path under which the routes are mounted. @default none */
  prefix?: string
  /** The names of objects: members of bodies and queries with such a name */
  objects?: readonly string[]
  /** Overrides of the document, by `operationId` */
  changes?: Record<string, Partial<TestedRoute>>
}

const methods = new Set(['get', 'put', 'post', 'delete', 'patch', 'head', 'options'])

/**
 * Makes testable routes from an OpenAPI document. A path's `{id}` is named after the segment before it: `/orders/{id}`
 * is about `order_id`. Bodies are the document's examples.
 *
 * @example
 * const routes = routesFromOpenApi(await clientele.openApi(), { prefix: '/api/v1', objects: ['user_id'] })
 */
export function routesFromOpenApi(
  { paths }: DescribedApi,
  { prefix = '', objects = [], changes = {} }: DescribedRoutesOptions = {},
): TestedRoute[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([method]) => methods.has(method))
      .map(([method, operation]) => {
        const { operationId, parameters, requestBody, security } = Object(operation)
        return {
          method: method.toUpperCase(),
          path: prefix + nameIds(path),
          query: findQuery(parameters, objects),
          ...findBody(requestBody, objects),
          isPublic: Array.isArray(security) && security.length === 0,
          ...changes[String(operationId)],
        }
      }),
  )
}

function nameIds(path: string): string {
  return path.replace(
    /\/([^/{}]+)\/\{id\}/g,
    (_whole, of: string) => `/${of}/{${of.replace(/s$/, '').replaceAll('-', '_')}_id}`,
  )
}

function findQuery(parameters: unknown, objects: readonly string[]): Record<string, string> {
  const listed = Array.isArray(parameters) ? parameters : []
  const names = listed.flatMap(({ name, in: place }) => (place === 'query' ? String(name) : []))
  return placeholdersFor(names, objects)
}

function findBody(
  requestBody: unknown,
  objects: readonly string[],
): Pick<TestedRoute, 'body' | 'isForm'> {
  const [[type, media] = ['', {}]] = Object.entries(Object(Object(requestBody).content))
  const { example } = Object(media)
  if (typeof example !== 'object' || example === null) return {}
  return {
    body: { ...example, ...placeholdersFor(Object.keys(example), objects) },
    isForm: type === 'application/x-www-form-urlencoded',
  }
}

function placeholdersFor(
  names: readonly string[],
  objects: readonly string[],
): Record<string, string> {
  return Object.fromEntries(
    names.filter((name) => objects.includes(name)).map((name) => [name, `{${name}}`]),
  )
}
