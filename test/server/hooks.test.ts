import { createServer } from 'node:http'
import { createClient } from '@clientele/client'
import { Webhook } from 'standardwebhooks'
import { expect, onTestFinished, test, vi } from 'vitest'
import { listen } from '../client/listen.ts'
import { fetchAndClose } from '../support/fetch-and-close.ts'
import { startServer } from '../support/start-server.ts'

vi.setConfig({ testTimeout: 60_000 })

const secret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`

test('the packed server asks HOOK_URL, logs and counts its failures, and tells callers its refusals', async () => {
  const signer = new Webhook(secret)
  const { origin, close } = await listen(
    createServer(async (request, response) => {
      let body = ''
      for await (const part of request) body += part
      signer.verify(body, request.headers as Record<string, string>)
      const { user, hook_context: context } = JSON.parse(body)
      const isBroken = user.name === 'Broken'
      const refusal = user.name === 'Refused' ? { refuse: `No: ${context}` } : {}
      response.writeHead(isBroken ? 500 : 200).end(JSON.stringify(refusal))
    }),
  )
  onTestFinished(close)
  const running = startServer({
    PORT: '0',
    METRICS_PORT: '0',
    LOG_FORMAT: 'json',
    DATABASE_URL: 'sqlite::memory:',
    CLIENTELE_SECRET: 'a secret of the tests that is long enough',
    HOOK_URL: `${origin}/hooks`,
    HOOK_SECRET: secret,
  })
  onTestFinished(async () => {
    running.child.kill('SIGTERM')
    await running.ended
  })
  const [, baseUrl = ''] = await running.waitFor(/^Listening on (http:.+)$/m)
  const [, apiKey = ''] = await running.waitFor(/^API key: (cu_.+)$/m)
  const client = createClient({ baseUrl, apiKey, fetch: fetchAndClose })
  const create = async (name: string) => {
    const body = JSON.stringify({ name, email: `${name}@example.com`, password: 'password' })
    const headers = {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      'clientele-hook-context': 'captcha 1',
    }
    const answer = await fetchAndClose(`${baseUrl}/client/user`, { method: 'POST', headers, body })
    const { code = 'created', detail } = Object(await answer.json())
    return [answer.status, code, detail]
  }
  expect(await create('Ada')).toEqual([201, 'created', undefined])
  expect(await create('Refused')).toEqual([403, 'refused_by_hook', 'No: captcha 1'])
  expect(await create('Broken')).toEqual([503, 'hook_unavailable', expect.any(String)])
  expect((await client.listUsers({})).data?.total).toBe(1)
  await expect.poll(() => running.errors()).toContain('A hook failed.')
  expect(running.errors()).not.toContain('captcha 1')
  const [, port] = /"metrics":\{[^}]*"port":(\d+)/.exec(running.errors()) ?? []
  const page = await fetchAndClose(`http://127.0.0.1:${port}/metrics`)
  expect(await page.text()).toMatch(
    /clientele_hook_duration_seconds_count\{hook="beforeCreate",outcome="failed"\} 1/,
  )
})
