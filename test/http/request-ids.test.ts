import type { Clientele } from '@clientele/core'
import { describe, expect, test } from 'vitest'
import { LogRecorder } from '../keys/open-clientele.ts'
import { anyDatabase } from '../support/databases.ts'
import { createTenant, openClientele } from './support/world.ts'

describe.each(anyDatabase)('$name', ({ open }) => {
  test('a valid request id of a request is used if the host trusts it', async () => {
    const opened = await open()
    const plain = await openClientele(opened.url)
    const trusting = await openClientele(opened.url, undefined, { trustRequestIds: true })
    const { key } = await createTenant(plain)
    const ask = async (clientele: Clientele, url: string, id: string) => {
      const headers = { authorization: `Bearer ${key}`, 'x-request-id': id }
      const rawHeaders = Object.entries(headers).flat()
      const request = { method: 'GET', url, mountPath: '', headers, rawHeaders }
      const answer = await clientele.handle({ ...request, body: new Blob([]).stream() })
      const guarded = await clientele.guard(request)
      const refused = 'response' in guarded ? guarded.response.headers['x-request-id'] : undefined
      return [answer?.headers['x-request-id'], refused]
    }
    const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/)
    for (const url of ['/client/user', '/client/user/x/y/z', '/client/user?x=1']) {
      expect(await ask(trusting, url, 'proxy-1')).toEqual(['proxy-1', 'proxy-1'])
      expect(await ask(plain, url, 'proxy-1')).toEqual([uuid, uuid])
    }
    for (const wrong of ['', 'a b', 'a, b', 'é', 'x'.repeat(201), 'a\r\nset-cookie: b']) {
      expect(await ask(trusting, '/client/user', wrong)).toEqual([uuid, uuid])
    }
    await Promise.all([plain.close(), trusting.close()])
    await opened.close()
  })

  test('a fault is logged with the id that its answer has', async () => {
    const opened = await open()
    const logger = new LogRecorder()
    const clientele = await openClientele(opened.url, undefined, { logger })
    const { key } = await createTenant(clientele)
    // The database is gone, which is a fault of ours in every operation.
    await clientele.close()
    const headers = { authorization: `Bearer ${key}` }
    const rawHeaders = Object.entries(headers).flat()
    const answer = await clientele.handle({
      ...{ method: 'GET', url: '/client/user', mountPath: '', headers, rawHeaders },
      body: new Blob([]).stream(),
    })
    expect(answer?.status).toBe(503)
    const requestId = answer?.headers['x-request-id']
    expect(requestId).toMatch(/^[0-9a-f-]{36}$/)
    const faults = logger.lines.filter(({ level }) => level === 'error')
    expect(faults.map(({ details }) => details)).toMatchObject([
      { requestId, operation: 'listUsers', error: { code: 'storage_unavailable' } },
    ])
    await opened.close()
  })
})
