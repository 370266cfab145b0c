import { type Clientele, createClientele } from '@clientele/core'
import { sqlite } from '@clientele/core/sqlite'

/** The name by which classes get it: `constructor(@Inject(CLIENTELE) clientele: Clientele)` */
export const CLIENTELE: unique symbol = Symbol('Clientele')

export async function openClientele(): Promise<Clientele> {
  const clientele = await createClientele({ repository: sqlite({ filename: 'data/users.sqlite' }) })
  if ((await clientele.accounts.list()).length === 0) {
    const account = await clientele.accounts.create({ name: 'demo' })
    console.log(`API key: ${(await clientele.apiKeys.create(account.id)).apiKey}`)
  }
  return clientele
}
