import { createServer, type RequestListener } from 'node:http'
import type { Clientele, Scope } from '@clientele/core'
import { clienteleListener } from '@clientele/core/node'
import { type CallToolResult, Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { listen } from '../client/listen.ts'
import { openClientele } from '../keys/open-clientele.ts'
import { cliScript } from '../support/start-process.ts'

const scopes: Scope[] = [
  ...(['users:read', 'users:write', 'tokens:issue', 'events:read', 'webhooks:write'] as const),
  'users:impersonate',
]

/** A server with one account, and clients of `clientele mcp` for it */
export interface McpWorld {
  clientele: Clientele
  accountId: string
  apiKey: string
  /** Where the routes are mounted */
  url: string
  /** Lets something else answer the next requests; undefined: Clientele does. */
  answerBy(other: RequestListener | undefined): void
  /** Starts the packed command as a program that speaks the protocol does. */
  connect(...options: string[]): Promise<Client>
  close(): Promise<void>
}

export async function openMcpWorld(): Promise<McpWorld> {
  const clientele = await openClientele('sqlite::memory:')
  const { id: accountId } = await clientele.accounts.create({ name: 'Acme' })
  const { apiKey } = await clientele.apiKeys.create(accountId, { scopes })
  const listener = clienteleListener(clientele, { prefix: '/api/v1' })
  let answer: RequestListener | undefined
  const host = await listen(
    createServer((request, response) => void (answer ?? listener)(request, response)),
  )
  const url = `${host.origin}/api/v1`
  const clients: Client[] = []
  return {
    clientele,
    accountId,
    apiKey,
    url,
    answerBy: (other) => {
      answer = other
    },
    connect: async (...options) => {
      const client = new Client({ name: 'test', version: '1.0.0' })
      await client.connect(new StdioClientTransport(toCommand(url, apiKey, options)))
      clients.push(client)
      return client
    },
    close: async () => {
      await Promise.all(clients.map((client) => client.close()))
      await host.close()
      await clientele.close()
    },
  }
}

/** How a client starts the packed command. */
export function toCommand(url: string, apiKey: string, options: readonly string[] = []) {
  return {
    command: process.execPath,
    args: [cliScript, 'mcp', '--url', url, ...options],
    env: { CLIENTELE_API_KEY: apiKey },
    stderr: 'inherit' as const,
  }
}

/** The texts of a result */
export function textsOf({ content }: Pick<CallToolResult, 'content'>): string[] {
  return content.map((part) => (part.type === 'text' ? part.text : ''))
}

/** The JSON document of a result, which its first text is. */
export function bodyOf(result: Pick<CallToolResult, 'content'>) {
  return JSON.parse(textsOf(result)[0] ?? '')
}
