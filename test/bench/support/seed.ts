import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openClientele } from './clientele.ts'

export interface ClienteleSeed {
  apiKey: string
  accountId: string
  tokens: string[]
  users: { id: string; email: string; name: string }[]
}

/** An account with users who have signed in. */
export async function seedClientele(url: string, count: number): Promise<ClienteleSeed> {
  const clientele = await openClientele(url, { cheapHashes: true })
  const account = await clientele.accounts.create({ name: 'Bench' })
  const key = await clientele.apiKeys.create(account.id)
  const tokens: string[] = []
  const users: ClienteleSeed['users'] = []
  for (let number = 1; number <= count; number++) {
    const email = `user${number}@example.com`
    const password = 'secret password'
    const metadata = { plan: 'pro' }
    const input = { email, name: `User ${number}`, password, roles: ['member'], metadata }
    const { user } = await clientele.users.create(account.id, input)
    const signedIn = await clientele.auth.logIn(account.id, { email, password })
    if ('token' in signedIn) tokens.push(signedIn.token)
    users.push({ id: user.id, email, name: user.name })
  }
  await clientele.close()
  return { apiKey: key.apiKey, accountId: account.id, tokens, users }
}

/** A path for a new SQLite file. */
export function newSqliteUrl(): string {
  return `sqlite:${join(mkdtempSync(join(tmpdir(), 'clientele-bench-')), 'bench.sqlite')}`
}
