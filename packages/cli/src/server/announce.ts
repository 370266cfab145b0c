import type { AddressInfo } from 'node:net'
import type { Clientele } from '@clientele/core'
import { makeConsoleLink, toLocalBase } from './console-address.ts'
import type { Settings } from './settings/setting-table.ts'

/** Prints the database and the server's address on standard output and, for an empty database, the first steps. */
export async function announce(
  clientele: Clientele,
  address: AddressInfo,
  { servesConsole, publicUrl }: Pick<Settings, 'servesConsole' | 'publicUrl'>,
  database: string,
): Promise<void> {
  const base = toLocalBase(address)
  // Only after listening succeeded, because the key is shown once.
  const first = await clientele.accounts.bootstrap({ name: 'demo' })
  const link = servesConsole ? await makeConsoleLink(clientele, publicUrl ?? base) : undefined
  console.log(`Database: ${database}`)
  console.log(`Listening on ${base}`)
  if (first === undefined) {
    console.log(
      'To make an API key: npx clientele account list, then npx clientele key create --account ID. ' +
        'In a clone: npm run clientele -- account list',
    )
  } else {
    const user = { name: 'Ada Lovelace', email: 'ada@example.com', password: 'analytical engine' }
    console.log(`API key: ${first.apiKey}`)
    console.log(
      `curl -X POST '${base}/client/user' -H 'Authorization: Bearer ${first.apiKey}' ` +
        `-H 'Content-Type: application/json' -d '${JSON.stringify(user)}'`,
    )
  }
  if (link !== undefined) console.log(`Console: ${link.url}`)
}
