import { ClienteleError } from '../base/errors.ts'
import type { Route } from './route.ts'

export interface RouteMatch {
  /** The path's routes, by method */
  routes: ReadonlyMap<string, Route>
  /** The decoded parameters */
  parameters: Record<string, string>
}

interface Node {
  fixed: Map<string, Node>
  parameter?: { name: string; node: Node }
  routes: Map<string, Route>
}

/** No path of ours is longer, also where its parameters are percent-encoded. */
const maxPathLength = 4_096

/** The prefix of paths about users and their tokens. */
export const rootPath = '/client/user'

/**
 * Makes a function that tells whether a path is ours: at or below the first two segments of a route, such as
 * `/client/user`. The host handles all other paths.
 */
export function createRootMatcher(routes: readonly Route[]): (path: string) => boolean {
  const roots = new Set(routes.map((route) => rootOf(route.path)))
  return (path) => roots.has(rootOf(path))
}

function rootOf(path: string): string {
  const end = path.indexOf('/', path.indexOf('/', 1) + 1)
  return end === -1 ? path : path.slice(0, end)
}

/** Makes a function that finds routes by path: exact segments first, then parameters. Case and trailing slashes matter. */
export function createMatcher(routes: readonly Route[]): (path: string) => RouteMatch | undefined {
  const root: Node = { fixed: new Map(), routes: new Map() }
  for (const route of routes) addRoute(root, route)
  // No more is split: a path may have thousands of segments.
  const most = 1 + Math.max(...routes.map(({ path }) => path.split('/').length))
  const fixed = new Map<string, RouteMatch>()
  for (const { path } of routes) {
    const node = path.includes('{') ? undefined : findNode(root, path.split('/'), 1, {})
    if (node !== undefined) fixed.set(path, { routes: node.routes, parameters: {} })
  }
  return (path) => {
    const known = fixed.get(path)
    if (known !== undefined) return known
    if (path.length > maxPathLength) return undefined
    const parameters: Record<string, string> = {}
    const node = findNode(root, path.split('/', most), 1, parameters)
    return node === undefined ? undefined : { routes: node.routes, parameters }
  }
}

function addRoute(root: Node, route: Route): void {
  let node = root
  for (const segment of route.path.split('/').slice(1)) {
    const name = /^\{(.+)\}$/.exec(segment)?.[1]
    const next: Node = { fixed: new Map(), routes: new Map() }
    if (name === undefined) {
      const known = node.fixed.get(segment)
      if (known === undefined) node.fixed.set(segment, next)
      node = known ?? next
    } else {
      node.parameter ??= { name, node: next }
      node = node.parameter.node
    }
  }
  node.routes.set(route.method, route)
}

function findNode(
  node: Node,
  segments: readonly string[],
  index: number,
  parameters: Record<string, string>,
): Node | undefined {
  const segment = segments[index]
  if (segment === undefined) return node.routes.size > 0 ? node : undefined
  const fixed = node.fixed.get(segment)
  const found = fixed && findNode(fixed, segments, index + 1, parameters)
  if (found !== undefined || node.parameter === undefined || segment === '') return found
  const value = decode(segment)
  if (value === undefined) return undefined
  parameters[node.parameter.name] = value
  return findNode(node.parameter.node, segments, index + 1, parameters)
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

/** The refusal of a method that the path's routes do not have */
export function methodNotAllowed(routes: ReadonlyMap<string, Route>): ClienteleError {
  const methods = [...routes.keys()].flatMap((method) =>
    method === 'GET' ? ['GET', 'HEAD'] : [method],
  )
  return new ClienteleError('method_not_allowed', undefined, {
    headers: { allow: methods.join(', ') },
  })
}
