import { McpServer, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import leven from 'leven'
import { ApiDoor } from './api-door.ts'
import { type ApiTool, makeTools } from './api-tool.ts'
import { callTool, refuse, type ToolSettings } from './call-tool.ts'
import { checkKey, readDocument } from './open-api.ts'

const maxBytes = 256 * 1024

export interface McpSettings {
  /** Where the routes are mounted, without a `/` at its end */
  url: string
  apiKey: string
  /** Whether tools may change something */
  writes: boolean
  showsSecrets: boolean
  /** The version of this package */
  version: string
}

/**
 * Serves the Model Context Protocol on standard input and output, until standard input ends or a signal comes.
 *
 * @throws Error if the server cannot be reached, or refuses the key
 */
export async function serveMcp(settings: McpSettings): Promise<void> {
  const door = new ApiDoor(settings.url, settings.apiKey)
  const document = await readDocument(door)
  const made = makeTools(document)
  await checkKey(door, made)
  const { showsSecrets } = settings
  const handle = serveStdio(
    () => createServer(made.tools, { door, document, showsSecrets, maxBytes }, settings),
    { onerror: (error) => console.error(error.message) },
  )
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => handle.close())
}

function createServer(
  all: ReadonlyMap<string, ApiTool>,
  toolSettings: ToolSettings,
  { writes, version }: McpSettings,
): McpServer {
  const offered = [...all.values()].filter(({ isReading }) => isReading || writes)
  const server = new McpServer(
    { name: 'clientele', title: 'Clientele', version },
    { capabilities: { tools: {} }, instructions: describe(writes) },
  )
  // The schemas are those of the API, which checks the arguments: nothing here compiles them.
  server.server.setRequestHandler('tools/list', () => ({
    tools: offered.map(({ tool }) => tool),
  }))
  server.server.setRequestHandler('tools/call', ({ params }, { mcpReq }) => {
    const tool = all.get(params.name)
    if (tool === undefined) throw unknownTool(params.name, offered)
    if (!offered.includes(tool))
      return refuse(`${params.name} changes something: only clientele mcp --write offers it.`)
    return callTool(tool, params.arguments ?? {}, toolSettings, mcpReq.signal)
  })
  return server
}

function describe(writes: boolean): string {
  const reach = writes ? 'read and change' : 'read'
  return `Tools that ${reach} the users of one account of Clientele, and what belongs to them. A refused call says why: its code, and the invalid fields.`
}

function unknownTool(name: string, offered: readonly ApiTool[]): ProtocolError {
  const similar = offered.find(({ tool }) => leven(tool.name, name) <= 3)
  const hint = similar === undefined ? '' : ` Did you mean ${similar.tool.name}?`
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name}.${hint}`)
}
