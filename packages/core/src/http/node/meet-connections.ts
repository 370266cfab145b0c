import type { Socket } from 'node:net'

/** A server of `node:http` or `node:https`. Its list of connections is undocumented. */
export interface HttpServer {
  on(event: string, listener: (socket: Socket) => void): unknown
  [name: symbol]: unknown
}

/** How Node describes the symbol of a server's list of connections, whose `all` returns their parsers. */
const listName = 'http.server.connections'

const known = new WeakSet<HttpServer>()

/**
 * Calls a function once with each connection of a server: those that are open and all later ones, also when none of
 * their requests has come to us. On a Node version without such a list, connections from before are left out.
 */
export function meetConnections(
  server: HttpServer | undefined,
  meet: (socket: Socket) => void,
): void {
  if (server === undefined || known.has(server)) return
  known.add(server)
  // Node has given the connection its parser already: its own listener was the first.
  server.on('connection', meet)
  server.on('secureConnection', meet)
  for (const socket of listOpen(server)) meet(socket)
}

function listOpen(server: HttpServer): Socket[] {
  const name = Object.getOwnPropertySymbols(server).find(
    ({ description }) => description === listName,
  )
  const list = Object(name && server[name])
  if (typeof list.all !== 'function') return []
  const parsers: { socket?: Socket | null }[] = list.all()
  return parsers.flatMap(({ socket }) => socket ?? [])
}
