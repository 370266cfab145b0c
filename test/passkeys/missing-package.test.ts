import { afterAll, expect, test } from 'vitest'
import { openDatabase } from '../support/databases.ts'
import { installCore } from '../support/install-core.ts'
import { runSql } from '../support/run-sql.ts'

// Core, in the folder of a host whose users have no passkeys.
const core = installCore(['better-sqlite3'])
afterAll(() => core.remove())

const missing =
  'configuration_invalid Passkeys need the package @simplewebauthn/server, which is not installed: npm install @simplewebauthn/server\n'

const start = (url: string) => `
  const { createClientele } = await import('@clientele/core')
  const { openRepository } = await import('@clientele/core/database-url')
  const repository = await openRepository('${url}')
  const clientele = await createClientele({ repository, secrets: ['a secret of the tests, which is long enough'] })
  const account = (await clientele.accounts.list())[0] ?? (await clientele.accounts.create({ name: 'Acme' }))
  const given = { name: 'Ada', email: 'ada@example.com', password: 'analytical engine' }
  const found = (await clientele.users.list(account.id)).data[0]
  const user = found ?? (await clientele.users.create(account.id, given)).user
`

test('without @simplewebauthn/server, whoever asks for passkeys is told what to install', async () => {
  const database = await openDatabase('sqlite')
  try {
    const run = (call: string) =>
      core.run(`${start(database.url)}; try { ${call} } finally { await clientele.close() }`)
    const site = "{ rpId: 'example.com', rpName: 'Acme', origins: ['https://example.com'] }"
    expect(run(`await clientele.accounts.setPasskeys(account.id, ${site})`)).toBe(missing)
    expect(run('console.log((await clientele.accounts.find(account.id)).passkeys)')).toBe('null\n')
    // Another process has it, and has set the account up.
    const settings = { rpId: 'example.com', rpName: 'Acme', origins: ['https://example.com'] }
    const json = JSON.stringify({ ...settings, requireToken: false })
    await runSql(database.url, `update clientele_accounts set passkeys = '${json}'`)
    expect(run('await clientele.passkeys.beginEnrolment(account.id, user.id)')).toBe(missing)
    expect(run('await clientele.auth.beginPasskeyLogIn(account.id)')).toBe(missing)
    expect(run('console.log(await clientele.passkeys.list(account.id, user.id))')).toBe('[]\n')
    expect(run('console.log((await clientele.auth.logIn(account.id, given)).user.email)')).toBe(
      'ada@example.com\n',
    )
  } finally {
    await database.close()
  }
})
