import { type Clientele, createClientele } from '@clientele/core'
import { sqlite } from '@clientele/core/sqlite'

// In development, Next.js reloads modules; a global survives that.
const store = globalThis as { clientele?: Promise<Clientele> } // a name that no other code uses

/** Opens Clientele at the first request: `next build` loads the routes, too, and needs no database. */
export function openClientele(): Promise<Clientele> {
  store.clientele ??= open()
  return store.clientele
}

async function open(): Promise<Clientele> {
  const clientele = await createClientele({ repository: sqlite({ filename: 'data/users.sqlite' }) })
  if ((await clientele.accounts.list()).length === 0) {
    const account = await clientele.accounts.create({ name: 'demo' })
    console.log(`API key: ${(await clientele.apiKeys.create(account.id)).apiKey}`)
  }
  return clientele
}
