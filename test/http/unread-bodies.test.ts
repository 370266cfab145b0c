import type { Clientele } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
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

  /** Sends a body to the validation of a token; answers with whether any of it was read. */
  async function isRead(content: string): Promise<boolean> {
    let read = false
    async function* body() {
      read = true
      yield Buffer.from(content)
    }
    const headers = {
      authorization: 'Bearer cu_live_wrong',
      'content-type': 'application/json',
      'content-length': String(content.length),
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
    expect(await isRead(' '.repeat(8 * 1024))).toBe(true)
    expect(await isRead(' '.repeat(8 * 1024 + 1))).toBe(false)
  })

  test('is not parsed if it has many values, or more than 2 KiB', async () => {
    const usual = JSON.stringify({ token: 'Bearer x' })
    const many = JSON.stringify({ token: 'Bearer x', more: new Array(20).fill(0) })
    const long = JSON.stringify({ token: `Bearer ${'x'.repeat(2_100)}` })
    const parse = vi.spyOn(JSON, 'parse')
    onTestFinished(() => parse.mockRestore())
    for (const content of [usual, many, long]) expect(await isRead(content)).toBe(true)
    const parsed = parse.mock.calls.map(([text]) => text)
    expect([usual, many, long].map((content) => parsed.includes(content))).toEqual([
      true,
      false,
      false,
    ])
  })
})
