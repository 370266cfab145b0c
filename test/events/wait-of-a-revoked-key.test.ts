import type { Clientele } from '@clientele/core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTenant, openClientele, password, type Tenant } from '../http/support/world.ts'
import { anyDatabase, type OpenDatabase } from '../support/databases.ts'

const feeds = ['/client/event', '/client/user/auth/revocation']

describe.each(anyDatabase)('a request that waits in the feed on $name', ({ open }) => {
  let database: OpenDatabase
  let clientele: Clientele
  let tenant: Tenant
  let other: { id: string; apiKey: string }

  beforeAll(async () => {
    database = await open()
    clientele = await openClientele(database.url)
  })
  beforeEach(async () => {
    tenant = await createTenant(clientele)
    other = await clientele.apiKeys.create(tenant.account.id)
  })
  afterAll(async () => {
    await clientele.close()
    await database.close()
  })

  async function ask(url: string) {
    const headers = { authorization: `Bearer ${other.apiKey}` }
    const rawHeaders = Object.entries(headers).flat()
    const body = new Blob([]).stream()
    const request = { method: 'GET', url, mountPath: '', headers, rawHeaders, body }
    const response = await clientele.handle(request)
    return { status: response?.status, json: JSON.parse(response?.body ?? '{}') }
  }

  /** Asks for what comes next, and waits until the request waits. */
  async function waitIn(feed: string) {
    const { json } = await ask(feed)
    const type = feed === '/client/event' ? '&type=user.*' : ''
    const answer = ask(`${feed}?wait=20&after=${json.next_cursor}${type}`)
    await new Promise((resolve) => setTimeout(resolve, 200))
    return { answer }
  }

  async function deleteUser() {
    const { id: accountId } = tenant.account
    const input = { name: 'Ada Lovelace', email: 'ada@example.com', password }
    const { user } = await clientele.users.create(accountId, input)
    await clientele.users.delete(accountId, user.id)
  }

  test.each(feeds)('%s gets nothing more when its key has been revoked', async (feed) => {
    const { answer } = await waitIn(feed)
    await clientele.apiKeys.revoke(tenant.account.id, other.id)
    await deleteUser()
    expect(await answer).toMatchObject({ status: 401, json: { code: 'api_key_invalid' } })
  })

  test.each(feeds)('%s gets what comes when its key is still valid', async (feed) => {
    const { answer } = await waitIn(feed)
    await deleteUser()
    const { status, json } = await answer
    expect([status, json.data.length > 0]).toEqual([200, true])
  })

  test.each(feeds)('%s is answered when the program closes, also after long', async (feed) => {
    const { answer } = await waitIn(feed)
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    await clientele.close()
    expect(await answer).toMatchObject({ status: 200, json: { data: [] } })
    clientele = await openClientele(database.url)
  })
})
