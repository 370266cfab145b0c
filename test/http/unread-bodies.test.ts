import type { Clientele } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openClientele } from '../keys/open-clientele.ts'
import { anyDatabase, type OpenDatabase } from '../support/databases.ts'

describe.each(anyDatabase)('the body of a caller with a wrong key on $name', ({ open }) => {
  let database: OpenDatabase
  let clientele: Clientele

  beforeAll(async () => {
    database = await open()
    clientele = await openClientele(database.url)
  })
  afterAll(async () => {
    await clientele.close()
    await database.close()
  })

  /** Sends a body of this length to the validation of a token; answers with whether any of it was read. */
  async function isRead(length: number): Promise<boolean> {
    let read = false
    async function* body() {
      read = true
      yield Buffer.alloc(length, ' ')
    }
    const headers = {
      authorization: 'Bearer cu_live_wrong',
      'content-type': 'application/json',
      'content-length': String(length),
    }
    const response = await clientele.handle({
      method: 'POST',
      url: '/client/user/auth/validation-token',
      mountPath: '',
      headers,
      rawHeaders: Object.entries(headers).flat(),
      body: body(),
    })
    expect(response?.status).toBe(401)
    return read
  }

  test('is read up to 8 KiB, and not if it is larger', async () => {
    expect(await isRead(8 * 1024)).toBe(true)
    expect(await isRead(8 * 1024 + 1)).toBe(false)
  })
})
