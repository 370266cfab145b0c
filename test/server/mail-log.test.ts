import { createHash } from 'node:crypto'
import { createClient, dataOf } from '@clientele/client'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { anyServerDatabase, type OpenDatabase } from '../support/databases.ts'
import { fetchAndClose } from '../support/fetch-and-close.ts'
import { runSql } from '../support/run-sql.ts'
import { startServer } from '../support/start-server.ts'

const password = 'analytical engine'

describe.each(anyServerDatabase)("the server's log of e-mails, on $name", ({ open }) => {
  let database: OpenDatabase
  let key = ''
  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  async function start(settings: Record<string, string>) {
    const running = startServer({
      PORT: '0',
      LOG_LEVEL: 'debug',
      DATABASE_URL: database.url,
      CLIENTELE_SECRET: 'a secret for tests that is long enough',
      ...settings,
    })
    const stop = async () => {
      running.child.kill('SIGTERM')
      await running.ended
    }
    onTestFinished(stop)
    const [, base = ''] = await running.waitFor(/^Listening on (http:\S+)$/m)
    if (key === '') key = (await running.waitFor(/^API key: (\S+)$/m))[1] ?? ''
    return {
      running,
      stop,
      client: createClient({ baseUrl: base, apiKey: key, fetch: fetchAndClose }),
    }
  }

  test('contains a reset token only with LOG_MAIL=true', async () => {
    const quiet = await start({ NODE_ENV: 'development' })
    const email = 'ada@example.com'
    dataOf(await quiet.client.createUser({ name: 'Ada', email, password }))
    dataOf(await quiet.client.forgotPassword({ email }))
    await quiet.stop()
    expect(quiet.running.errors()).toContain('A mail was not sent')
    expect(quiet.running.errors()).not.toContain('"token"')

    const loud = await start({ NODE_ENV: 'production', LOG_MAIL: 'true', LOG_LEVEL: 'warn' })
    dataOf(await loud.client.forgotPassword({ email }))
    await loud.stop()
    const [, token = ''] = /"token":"([^"]+)"/.exec(loud.running.errors()) ?? []
    const rows = await runSql(database.url, 'select hash from clientele_email_tokens')
    const hash = createHash('sha256').update(token).digest('base64url')
    expect(rows).toEqual([{ hash }])
  })
})
