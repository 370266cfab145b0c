import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTenant, openClientele, password, type Tenant } from '../http/support/world.ts'
import { openRepository } from '../keys/open-clientele.ts'
import { type OpenDatabase, openDatabase } from '../support/databases.ts'
import { logIn } from '../support/log-in.ts'

const requests = 30
const tokensOfOne = 100

/** On a database server the look-ups do not run on the event loop. */
describe('batches of tokens that arrive at the same moment on SQLite', () => {
  let database: OpenDatabase
  let clientele: Awaited<ReturnType<typeof openClientele>>
  let tenant: Tenant
  let underWay = 0
  let most = 0

  beforeAll(async () => {
    database = await openDatabase('sqlite')
    const repository = openRepository(database.url)
    clientele = await openClientele(database.url, undefined, { repository })
    tenant = await createTenant(clientele)
    const { users } = repository
    const findSubjects = users.findSubjects.bind(users)
    users.findSubjects = async (...asked) => {
      most = Math.max(most, ++underWay)
      return findSubjects(...asked).finally(() => {
        underWay--
      })
    }
  })
  afterAll(async () => {
    await clientele.close()
    await database.close()
  })

  test('are looked up one after the other', async () => {
    const email = 'ada@example.com'
    const { id } = tenant.account
    await clientele.users.create(id, { name: 'Ada Lovelace', email, password })
    const { token } = await logIn(clientele, id, { email, password })
    const text = JSON.stringify({ tokens: Array(tokensOfOne).fill(`Bearer ${token}`) })
    const headers = { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' }
    const ask = () =>
      clientele.handle({
        method: 'POST',
        url: '/client/user/auth/validation-tokens',
        mountPath: '',
        headers,
        rawHeaders: Object.entries(headers).flat(),
        body: new Blob([text]).stream(),
      })
    const answers = await Promise.all(Array.from({ length: requests }, ask))
    expect(answers.map((answer) => answer?.status)).toEqual(Array(requests).fill(200))
    expect(JSON.parse(answers[0]?.body ?? '').results).toHaveLength(tokensOfOne)
    expect(most).toBe(1)
  })
})
