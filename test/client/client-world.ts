import { createServer } from 'node:http'
import { type Client, type ClientOptions, createClient } from '@clientele/client'
import type { Clientele, Mail, Repository, Scope } from '@clientele/core'
import { clienteleListener } from '@clientele/core/node'
import { postgres } from '@clientele/core/postgres'
import { sqlite } from '@clientele/core/sqlite'
import { openClientele } from '../keys/open-clientele.ts'
import { type FaultyDoor, openDoor } from './faulty-door.ts'
import { listen } from './listen.ts'

export const password = 'analytical engine'
/** All of them: one has to be named. */
const scopes: Scope[] = [
  'users:read',
  'users:write',
  'tokens:validate',
  'tokens:issue',
  'events:read',
  'webhooks:write',
  'users:impersonate',
]

/** A host that serves Clientele on a database, and a door before it that fails when it is told to. */
export interface ClientWorld {
  clientele: Clientele
  door: FaultyDoor
  mails: Mail[]
  /** Where the routes are, behind no door */
  baseUrl: string
  /** A client of a new account, through the door */
  createClient(options?: Partial<ClientOptions>): Promise<{ client: Client; accountId: string }>
  close(): Promise<void>
}

export async function openWorld(
  url: string,
  { lockSeconds }: { lockSeconds?: number } = {},
): Promise<ClientWorld> {
  const mails: Mail[] = []
  const sendMail = async (mail: Mail): Promise<void> => void mails.push(mail)
  const host = createServer((request, response) => listener(request, response))
  const { origin, close } = await listen(host)
  const baseUrl = `${origin}/api/v1`
  const clientele = await openClientele(url, {
    ...(lockSeconds !== undefined && { repository: openImpatient(url, lockSeconds) }),
    sendMail,
    publicUrl: baseUrl,
    webhooks: { allowPrivateAddresses: true },
  })
  const listener = clienteleListener(clientele, { prefix: '/api/v1' })
  const door = await openDoor(origin)
  return {
    clientele,
    door,
    mails,
    baseUrl,
    createClient: async (options = {}) => {
      const accountId = (await clientele.accounts.create({ name: 'Acme' })).id
      const { apiKey } = await clientele.apiKeys.create(accountId, { scopes })
      const client = createClient({ baseUrl: `${door.origin}/api/v1`, apiKey, ...options })
      return { client, accountId }
    },
    close: async () => {
      await door.close()
      await close()
      await clientele.close()
    },
  }
}

/** A repository whose writes wait for others no longer than this. */
function openImpatient(url: string, lockSeconds: number): Repository {
  return url.startsWith('sqlite:')
    ? sqlite({ filename: url.slice('sqlite:'.length), lockTimeoutSeconds: lockSeconds })
    : postgres({ connectionString: url, timeLimits: { lockSeconds } })
}

let people = 0

/** A user who does not exist yet. */
export function newPerson(name = 'Ada Lovelace') {
  return { name, email: `person-${++people}@example.com`, password }
}
