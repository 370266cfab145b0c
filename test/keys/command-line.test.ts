import { decodeProtectedHeader } from 'jose'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { logIn } from '../support/log-in.ts'
import { type EndedCommand, runCommand } from '../support/run-command.ts'
import { openClientele, openRepository } from './open-clientele.ts'

const databases = eitherDatabase(import.meta.filename)

const secret = 'a secret of the tests without any comma'

describe.each(databases)('the command line beside keys and issuers on $name', ({ open }) => {
  let database: OpenDatabase

  beforeEach(async () => {
    database = await open()
  })
  afterEach(() => database.close())

  const exec = (...args: string[]): Promise<EndedCommand> =>
    runCommand(args, { DATABASE_URL: database.url, CLIENTELE_SECRET: secret })

  async function run(...args: string[]): Promise<Record<string, unknown>> {
    const { code, output, errors } = await exec(...args, '--json')
    expect({ code, errors }).toEqual({ code: 0, errors: '' })
    return JSON.parse(output) as Record<string, unknown> // a command prints one document
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
    await clientele.signingKeys.rotate(id, { now: true })
    await run('signing-key', 'list', '--account', id)
    await run('signing-key', 'rotate', '--account', id)
    now = Date.now()
    await clientele.auth.validateToken(id, token)
    await clientele.close()
    const repository = openRepository(database.url)
    expect(await repository.signingKeys.list(id)).toHaveLength(3)
    await repository.storage.close()
  })

  test('keys are listed, rotated, retired and removed by account', async () => {
    const clientele = await openClientele(database.url, { secrets: [secret] })
    const added = await Promise.all(
      ['Acme', 'Globex'].map(async (name) => {
        const { id } = await clientele.accounts.create({ name })
        const credentials = { email: 'ada@example.com', password: 'password' }
        await clientele.users.create(id, { name: 'Ada', ...credentials })
        const kid = async () =>
          decodeProtectedHeader((await logIn(clientele, id, credentials)).token).kid
        return { account: id, kid, first: String(await kid()) }
      }),
    )
    await clientele.accounts.create({ name: 'Without a key' })
    const [acme, globex] = added as [(typeof added)[0], (typeof added)[0]] // there are two
    const statuses = async (account: string) => {
      const { keys } = await run('signing-key', 'list', '--account', account)
      return (keys as { status: string }[]).map(({ status }) => status) // as it is documented
    }
    const slow = ['signing-key', 'rotate', '--account', acme.account, '--publish', '86400']
    const startedAt = Date.now()
    const { keys } = await run(...slow)
    const endedAt = Date.now()
    expect(keys).toMatchObject([{ id: acme.first, status: 'active' }, { status: 'pending' }])
    const [, next] = keys as { signs_at: string }[] // as it is documented
    const rotatedAt = Date.parse(next?.signs_at ?? '') - 86_400_000
    expect(rotatedAt).toBeGreaterThanOrEqual(startedAt)
    expect(rotatedAt).toBeLessThanOrEqual(endedAt)
    expect(JSON.stringify(keys)).not.toMatch(/"d":|private/)
    expect(await statuses(globex.account)).toEqual(['active'])
    // Another process signs with it at once.
    await run('signing-key', 'rotate', '--account', globex.account, '--now')
    expect(await globex.kid()).not.toBe(globex.first)
    expect(await acme.kid()).toBe(acme.first)

    const all = await exec('signing-key', 'rotate', '--all', '--json')
    expect(JSON.parse(all.output)).toEqual({ accounts: 2 })
    expect(all.errors).toContain('2 accounts rotated')
    expect(await statuses(acme.account)).toEqual(['active', 'pending'])
    expect(await statuses(globex.account)).toEqual(['retired', 'active', 'pending'])

    const ofAcme = ['--account', acme.account, '--key', acme.first]
    await run('signing-key', 'retire', ...ofAcme)
    expect(await acme.kid()).not.toBe(acme.first)
    await run('signing-key', 'remove', ...ofAcme)
    const again = await exec('signing-key', 'remove', ...ofAcme)
    expect(again.code).toBe(1)
    expect(again.errors).toMatch(/signing_key_not_found.*--account ID/s)
    for (const wrong of [
      [],
      ['--all', '--account', acme.account],
      ['--all', '--algorithm', 'RS256'],
      ['--all', '--now', '--publish', '60'],
    ])
      expect(await exec('signing-key', 'rotate', ...wrong)).toMatchObject({ code: 2 })
    await clientele.close()
  })
})
