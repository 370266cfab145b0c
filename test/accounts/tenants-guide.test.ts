import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Account, type Clientele, ClienteleError } from '@clientele/core'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { codeOf, openClientele } from '../keys/open-clientele.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'

const databases = eitherDatabase(import.meta.filename)

const guide = join(import.meta.dirname, '../../packages/core/guides/tenants.md')
/** Where the packages of the tests are found, and git does not look */
const folder = join(import.meta.dirname, '../node_modules/.tenants-guide')

/** What the blocks of the guide define */
interface Defined {
  account: Account
  findTenant(hostname: string): Promise<Account | undefined>
  answerAddress(email: string): { status: number; text: string }
  signInAnywhere(credentials: object): Promise<{ account: Account; signedIn: object }[]>
}

describe.each(databases)('the guide about tenants on $name', ({ name, open }) => {
  let database: OpenDatabase
  let clientele: Clientele
  let defined: Defined
  const sent: { to: string; text: string }[] = []

  beforeAll(async () => {
    database = await open()
    clientele = await openClientele(database.url)
    const transport = { send: async (to: string, text: string) => void sent.push({ to, text }) }
    // What the blocks have from their surroundings
    Object.assign(globalThis, { clientele, transport, ClienteleError })
    const text = await readFile(guide, 'utf8')
    const blocks = [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, block = '']) => block)
    const names = ['account', 'findTenant', 'answerAddress', 'signInAnywhere']
    // An import would be another copy of the package, with a class of errors of its own.
    const code = blocks.join('\n').replace(/^import .*'@clientele\/core'$/m, '')
    const module = `${code}\nexport { ${names.join(', ')} }`
    const { outputText } = ts.transpileModule(module, {
      compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 },
    })
    await mkdir(folder, { recursive: true })
    const file = join(folder, `${name}.mjs`)
    await writeFile(file, outputText)
    defined = await import(pathToFileURL(file).href)
  })
  afterAll(async () => {
    await clientele.close()
    await database.close()
    await rm(folder, { recursive: true })
  })

  const password = 'analytical engine'
  async function addUser(accountId: string, email: string, own = password): Promise<void> {
    await clientele.users.create(accountId, { name: 'Ada', email, password: own })
  }

  test('a sub-domain finds its account, unless that is disabled', async () => {
    const { account, findTenant } = defined
    const current = { ...account, metadata: { plan: 'pro' } }
    expect(await findTenant('acme.example.com')).toEqual(current)
    for (const host of ['example.com', 'b.acme.example.com', 'Acme.example.com', 'acme.org', ''])
      expect(await findTenant(host)).toBeUndefined()
    await clientele.accounts.disable(account.id)
    expect(await findTenant('acme.example.com')).toBeUndefined()
    await clientele.accounts.enable(account.id)
  })

  test('the page answers the same to any address, and the mail has the list', async () => {
    const { account, answerAddress } = defined
    const other = await clientele.accounts.create({ name: 'Globex', slug: 'globex' })
    const email = 'ada@example.com'
    await addUser(account.id, email)
    await addUser(other.id, email)
    expect(answerAddress('nobody@example.com')).toEqual(answerAddress(email))
    await expect.poll(() => sent).toHaveLength(1)
    const text = 'Acme: https://acme.example.com/login\nGlobex: https://globex.example.com/login'
    expect(sent).toEqual([{ to: email, text }])
  })

  test('the page shows only accounts in which the password is right', async () => {
    const { account, signInAnywhere } = defined
    const email = 'grace@example.com'
    const other = await clientele.accounts.create({ name: 'Initech' })
    await addUser(account.id, email)
    await addUser(other.id, email, 'another password')
    const found = await signInAnywhere({ email, password })
    expect(found).toEqual([
      {
        account: expect.objectContaining({ id: account.id }),
        signedIn: expect.objectContaining({ token: expect.any(String) }),
      },
    ])
    expect(await signInAnywhere({ email, password: 'a wrong one' })).toEqual([])
    expect(await signInAnywhere({ email: 'nobody@example.com', password })).toEqual([])
  })

  test('no place refuses the attempts of one person earlier than those of another', async () => {
    const people = ['nobody', 'one', 'two', 'three'].map((name) => `${name}@example.org`)
    for (const [count, email] of people.entries())
      for (let number = 0; number < count; number++)
        await addUser((await clientele.accounts.create({ name: 'Customer' })).id, email)
    const told: Promise<string | undefined>[] = []
    const logIn: typeof clientele.auth.logIn = (...input) => {
      const result = clientele.auth.logIn(...input)
      told.push(codeOf(result))
      return result
    }
    vi.stubGlobal('clientele', { ...clientele, auth: { ...clientele.auth, logIn } })
    onTestFinished(() => void vi.stubGlobal('clientele', clientele))
    const tries = Array.from({ length: 11 }, (_, index) => `wrong ${index}`)
    const expected = [...Array(30).fill('credentials_invalid'), ...Array(3).fill('rate_limited')]
    for (const email of people) {
      for (const wrong of tries) await defined.signInAnywhere({ email, password: wrong })
      expect(await Promise.all(told.splice(0)), email).toEqual(expected)
    }
  })
})
