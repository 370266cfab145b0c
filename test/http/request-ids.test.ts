import { describe, expect, test } from 'vitest'
import { LogRecorder } from '../keys/open-clientele.ts'
import { databases } from '../support/databases.ts'
import { createTenant, openClientele } from './support/world.ts'

describe.each(databases)('$name', ({ open }) => {
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
