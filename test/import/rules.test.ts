import { createServer } from 'node:http'
import { clienteleListener } from '@clientele/core/node'
import { describe, expect, onTestFinished, test } from 'vitest'
import { listen } from '../client/listen.ts'
import { openClientele } from '../keys/open-clientele.ts'
import { eitherDatabase } from '../support/databases.ts'

const databases = eitherDatabase(import.meta.filename)

describe.each(databases)('an import that goes on, on $name', ({ open }) => {
  test('obeys the rules that the account has by then', async () => {
    const database = await open()
    const clientele = await openClientele(database.url)
    const server = await listen(createServer(clienteleListener(clientele)))
    onTestFinished(async () => {
      await server.close()
      await clientele.close()
      await database.close()
    })
    const { id: accountId } = await clientele.accounts.create({ name: 'Acme' })
    const { apiKey } = await clientele.apiKeys.create(accountId, { scopes: ['users:write'] })
    const countUsers = async () => (await clientele.users.list(accountId, { limit: 1 })).total
    const lineOf = (number: number, more: object = {}) =>
      `${JSON.stringify({ name: 'Ada', email: `user${number}@example.com`, ...more })}\n`
    async function* lines() {
      // More than one batch
      for (let number = 0; number < 200; number++) yield lineOf(number)
      await expect.poll(countUsers).toBeGreaterThan(0)
      await clientele.accounts.setPolicy(accountId, { minPasswordLength: 20 })
      yield lineOf(200, { password: 'password' })
      yield lineOf(201, { password: 'a password that is long' })
    }
    const response = await fetch(`${server.origin}/client/user/import?on_error=skip`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/x-ndjson' },
      body: ReadableStream.from(lines()).pipeThrough(new TextEncoderStream()),
      duplex: 'half',
    })
    expect(await response.json()).toMatchObject({
      imported: 201,
      errors: [{ line: 201, code: 'too_short' }],
    })
  })
})
