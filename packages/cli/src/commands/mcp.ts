import type { Command } from 'commander'
import packageJson from '../../package.json' with { type: 'json' }
import { refuseJson } from '../refuse-json.ts'
import { UsageError } from '../usage-error.ts'

interface McpOptions {
  url: string
  write?: true
  secrets?: true
}

export function addMcp(parent: Command): void {
  parent
    .command('mcp')
    .description('serve the API of a running server as tools of the Model Context Protocol')
    .requiredOption('--url <url>', 'where the routes are mounted')
    .option('--write', 'offer tools that change something, too')
    .option('--secrets', 'show secrets that come once, such as new tokens, instead of masking them')
    .addHelpText(
      'after',
      `
Example: clientele mcp --url http://127.0.0.1:3000/api/v1

CLIENTELE_API_KEY is an API key of the account. It bounds what the tools may do: make one for this purpose,
  clientele key create --account ID --scope users:read --scope events:read
A program that speaks the protocol starts this command, and talks to it on standard input and output:
  { "command": "clientele", "args": ["mcp", "--url", "https://…/api/v1"], "env": { "CLIENTELE_API_KEY": "cu_live_…" } }

A tool has the name of its operation in the OpenAPI document. Without --write only GET operations are offered.
No tools: importUsers, exportUsers (lines), introspectToken (a form), and the public documents readOpenApi, readJwks,
readOpenIdConfiguration, readServerMetadata. readEvents and readRevocations wait at most 25 seconds. An answer takes at
most 30 seconds and 256 KiB.

Exit codes: 0 standard input ended, or SIGTERM or Ctrl-C; 1 the server cannot be reached or refuses the key; 2 wrong usage.`,
    )
    .action(async ({ url, write, secrets }: McpOptions, command: Command) => {
      refuseJson(command, 'mcp prints the messages of the protocol: leave out --json.')
      const settings = {
        url: readUrl(url),
        apiKey: readKey(),
        writes: write === true,
        showsSecrets: secrets === true,
        version: packageJson.version,
      }
      const { serveMcp } = await import('../mcp/serve-mcp.ts')
      await serveMcp(settings)
    })
}

function readUrl(text: string): string {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new UsageError('--url must be a URL, such as http://127.0.0.1:3000/api/v1.')
  if (url.username || url.password || url.search || url.hash)
    throw new UsageError('--url must have no user name, password, query or fragment.')
  return `${url.origin}${url.pathname.replace(/\/$/, '')}`
}

function readKey(): string {
  const key = process.env.CLIENTELE_API_KEY?.trim() ?? ''
  if (key === '') throw new UsageError('Set CLIENTELE_API_KEY to an API key of the account.')
  if (!/^[\x21-\x7e]+$/.test(key)) throw new UsageError('CLIENTELE_API_KEY is not an API key.')
  return key
}
