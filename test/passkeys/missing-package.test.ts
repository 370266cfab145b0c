import { expect, test } from 'vitest'
import { openClientele } from '../keys/open-clientele.ts'
import { openDatabase } from '../support/databases.ts'
import { installCore } from '../support/install-core.ts'
import { site } from './software-authenticator.ts'

const missing =
  'configuration_invalid Passkeys need the package @simplewebauthn/server, which is not installed: npm install @simplewebauthn/server'

/** Runs in a host's folder, and prints what each call comes to. */
const script = (url: string, calls: readonly string[]) => `
  const { createClientele } = await import('@clientele/core')
  const { openRepository } = await import('@clientele/core/database-url')
  const clientele = await createClientele({ repository: await openRepository('${url}'), lazyKeys: true })
  const [{ id }] = await clientele.accounts.list()
  const { data: [user] } = await clientele.users.list(id)
  const calls = [${calls.map((call) => `() => ${call}`).join(', ')}]
  for (const call of calls) {
    try {
      console.log(JSON.stringify(await call()))
    } catch (error) {
      console.log(error.code, error.message)
    }
  }
  await clientele.close()
`

test('without @simplewebauthn/server, the error for passkeys names the package to install', async () => {
  const core = installCore(['better-sqlite3'])
  const database = await openDatabase('sqlite')
  try {
    // Here it is installed, so that the account can be set up.
    const clientele = await openClientele(database.url)
    const { id } = await clientele.accounts.create({ name: 'Acme' })
    const given = { name: 'Ada', email: 'ada@example.com', password: 'analytical engine' }
    await clientele.users.create(id, given)
    await clientele.accounts.setPasskeys(id, site)
    await clientele.close()
    const calls = [
      `clientele.accounts.setPasskeys(id, ${JSON.stringify(site)})`,
      'clientele.passkeys.beginEnrolment(id, user.id)',
      'clientele.auth.beginPasskeyLogIn(id)',
      'clientele.passkeys.list(id, user.id)',
    ]
    const printed = core.run(script(database.url, calls)).trimEnd().split('\n')
    expect(printed).toEqual([missing, missing, missing, '[]'])
  } finally {
    await database.close()
    core.remove()
  }
})
