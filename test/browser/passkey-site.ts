import { join } from 'node:path'
import { type Client, createClient } from '@clientele/client'
import { findFreePort } from '../support/find-free-port.ts'
import { runCommand } from '../support/run-command.ts'
import { cliScript, type RunningProcess, startProcess } from '../support/start-process.ts'

const serverScript = join(import.meta.dirname, '../../examples/passkeys/src/server.ts')

/** The example's site, a server of Clientele's behind it, and what both need to know of each other. */
export interface PasskeySite {
  /** The origin that the account's settings have */
  origin: string
  /** The same site at an address that the settings do not have */
  otherOrigin: string
  client: Client
  /** What the server prints: a link to its console, which works once */
  consoleUrl: string
  /** Says anew which site the account's passkeys are for. */
  configure(...options: string[]): Promise<void>
  close(): Promise<void>
}

export async function startPasskeySite(databaseUrl: string): Promise<PasskeySite> {
  const running: RunningProcess[] = []
  const close = async () => {
    for (const { child } of running) child.kill('SIGTERM')
    await Promise.all(running.map(({ ended }) => ended))
  }
  const start = (script: string, environment: Record<string, string>) => {
    const started = startProcess(script, [], environment)
    running.push(started)
    return started
  }
  try {
    const server = start(cliScript, {
      DATABASE_URL: databaseUrl,
      PORT: '0',
      CLIENTELE_SECRET: 'a secret of the tests, which is long enough',
    })
    const [, baseUrl = ''] = await server.waitFor(/^Listening on (http:.+)$/m)
    const [, apiKey = ''] = await server.waitFor(/^API key: (cu_live_\w+)$/m)
    const [, consoleUrl = ''] = await server.waitFor(/^Console: (http\S+)$/m)
    const startSite = async () => {
      const PORT = String(await findFreePort())
      const environment = { PORT, CLIENTELE_URL: baseUrl, CLIENTELE_API_KEY: apiKey }
      const [, origin = ''] = await start(serverScript, environment).waitFor(/^Listening on (.+)$/m)
      return origin
    }
    const [origin, otherOrigin] = await Promise.all([startSite(), startSite()])
    const accountId = await findAccount(databaseUrl)
    const configure = async (...options: string[]) => {
      const site = ['--rp-id', 'localhost', '--rp-name', 'Acme', '--origin', origin]
      const args = ['account', 'passkeys', '--account', accountId, ...site, ...options]
      await runOn(databaseUrl, args)
    }
    await configure()
    const client = createClient({ baseUrl, apiKey })
    return { origin, otherOrigin, client, consoleUrl, configure, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function findAccount(databaseUrl: string): Promise<string> {
  const output = await runOn(databaseUrl, ['account', 'list', '--json'])
  const { accounts }: { accounts: [{ id: string }] } = JSON.parse(output)
  return accounts[0].id
}

async function runOn(DATABASE_URL: string, args: string[]): Promise<string> {
  const { code, output, errors } = await runCommand(args, { DATABASE_URL })
  if (code !== 0) throw new Error(errors)
  return output
}
