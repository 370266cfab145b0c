import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { logIn } from '../support/log-in.ts'
import { openClientele, openRepository } from './open-clientele.ts'

const main = join(import.meta.dirname, '../../packages/cli/dist/clientele.js')
const secret = 'a secret of the tests without any comma'

describe.each(databases)('the command line beside keys and issuers on $name', ({ open }) => {
  let database: OpenDatabase

  beforeEach(async () => {
    database = await open()
  })
  afterEach(() => database.close())

  async function run(...args: string[]): Promise<Record<string, unknown>> {
    const env = { ...process.env, DATABASE_URL: database.url, CLIENTELE_SECRET: secret }
    const { stdout } = await promisify(execFile)(process.execPath, [main, ...args, '--json'], {
      env,
    })
    return JSON.parse(stdout) as Record<string, unknown> // a command prints one document
  }

  test("a command that needs no secret runs beside an issuer's encrypted secret", async () => {
    const clientele = await openClientele(database.url, { secrets: [secret] })
    const { id } = await clientele.accounts.create({ name: 'Acme' })
    await clientele.trustedIssuers.create(id, {
      issuer: 'https://login.example.com',
      audience: 'api',
      algorithms: ['HS256'],
      sharedSecret: 'a shared secret of 32 bytes or more',
    })
    await clientele.close()
    expect(await run('key', 'create', '--account', id)).toHaveProperty('api_key')
  })

  test("a command never removes a retired key that the server's tokens may still need", async () => {
    const day = 24 * 3600
    let now = Date.now() - (day / 2) * 1000
    const options = { tokenTtlSeconds: day, clock: () => now, secrets: [secret] }
    const clientele = await openClientele(database.url, options)
    const { id } = await clientele.accounts.create({ name: 'Acme' })
    const credentials = { email: 'ada@example.com', password: 'password' }
    await clientele.users.create(id, { name: 'Ada', ...credentials })
    const { token } = await logIn(clientele, id, credentials)
    await clientele.signingKeys.rotate()
    await run('signing-key', 'list')
    await run('signing-key', 'rotate')
    now = Date.now()
    await clientele.auth.validateToken(id, token)
    await clientele.close()
    const repository = openRepository(database.url)
    expect(await repository.signingKeys.list()).toHaveLength(3)
    await repository.storage.close()
  })
})
