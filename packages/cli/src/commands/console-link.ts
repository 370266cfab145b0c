import type { Command } from 'commander'
import { UsageError } from '../usage-error.ts'
import { withClientele } from '../with-clientele.ts'

export function addConsoleLink(parent: Command): void {
  parent
    .command('console-link')
    .description('print a one-time link to the console of the server, valid for ten minutes')
    .addHelpText(
      'after',
      '\nExample: clientele console-link\n\nThe link gives access to every account and every screen. It begins with PUBLIC_URL, or with HOST and PORT.',
    )
    .action(
      withClientele('change', async (clientele) => {
        const { makeConsoleLink, toLocalBase } = await import('../server/console-address.ts')
        const { url, expiresAt } = await makeConsoleLink(clientele, readBase(toLocalBase))
        const text = `Console: ${url}\nIt works once, until ${expiresAt.toISOString()}.${await findHint(url)}`
        return { json: { url, expiresAt }, text }
      }),
    )
}

/** Names an address of this machine where no server answers. The link itself is not opened: it works once. */
async function findHint(url: string): Promise<string> {
  const { origin, protocol } = new URL(url)
  // PUBLIC_URL need not be reachable from here.
  if (process.env.PUBLIC_URL?.trim() || protocol !== 'http:') return ''
  try {
    await fetch(origin, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(2_000) })
    return ''
  } catch {
    return `\nNo server answers at ${origin} now: set PORT and HOST as for the server, or PUBLIC_URL.`
  }
}

function readBase(toLocalBase: (address: { address: string; port: number }) => string): string {
  const publicUrl = process.env.PUBLIC_URL?.trim()
  if (publicUrl) return publicUrl
  const port = Number(process.env.PORT?.trim() || 3000)
  if (!(port > 0)) throw new UsageError('Set PORT to the port of the server.')
  return toLocalBase({ address: process.env.HOST?.trim() || '127.0.0.1', port })
}
