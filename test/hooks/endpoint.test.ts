import { createServer } from 'node:http'
import type { Clientele } from '@clientele/core'
import { createTestClientele } from '@clientele/core/testing'
import { decodeJwt } from 'jose'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listen } from '../client/listen.ts'
import { codeOf } from '../keys/open-clientele.ts'

const secret = `whsec_${Buffer.alloc(32, 'k').toString('base64')}`
const password = 'password'

interface Question {
  headers: Record<string, string>
  body: string
}

/** A service that is asked: what it answers, by hook, and what it was asked. */
async function openService() {
  const asked: Question[] = []
  let answers: Record<string, { status?: number; text: string }> = {}
  const { origin, close } = await listen(
    createServer((request, response) => {
      let body = ''
      request.on('data', (piece) => {
        body += piece
      })
      request.on('end', () => {
        asked.push({ headers: request.headers as Record<string, string>, body })
        const { status = 200, text } = answers[JSON.parse(body).hook] ?? { text: '{}' }
        response.writeHead(status, { 'content-type': 'application/json' }).end(text)
      })
    }),
  )
  return {
    asked,
    url: `${origin}/hooks`,
    close,
    answer: (next: typeof answers) => {
      answers = next
      asked.length = 0
    },
  }
}

describe('a service that is asked in place of functions', () => {
  let service: Awaited<ReturnType<typeof openService>>
  let world: Awaited<ReturnType<typeof createTestClientele>>
  let clientele: Clientele
  let accountId: string
  beforeAll(async () => {
    service = await openService()
    world = await createTestClientele({ hooks: { url: service.url, secret } })
    clientele = world.clientele
    accountId = (await world.createAccount()).account.id
  })
  afterAll(async () => {
    await world.close()
    await service.close()
  })

  test('gets each question signed, in the names of the wire, and never a password', async () => {
    service.answer({ token_claims: { text: '{"claims":{"plan":"free"}}' } })
    const call = {
      accountId,
      requestId: 'req-1',
      hookContext: 'captcha',
      clientAddress: '192.0.2.7',
    }
    const input = { name: 'Ada', email: 'ada@example.com', password, metadata: { firstSeen: 1 } }
    const { user } = await clientele.users.create(call, input)
    await clientele.users.patch(accountId, user.id, { isActive: true, roles: ['a'], password })
    const signedIn = await clientele.auth.logIn(accountId, { email: user.email, password })
    if (!('token' in signedIn)) throw new Error('There is no second factor.')
    expect(decodeJwt(signedIn.token)).toMatchObject({ plan: 'free' })
    const { sid } = decodeJwt(signedIn.token)
    const bodies = service.asked.map(({ body }) => JSON.parse(body))
    const wire = {
      ...{ id: user.id, email: user.email, name: 'Ada', roles: [], metadata: { firstSeen: 1 } },
      ...{ is_active: true, created_at: user.createdAt.toISOString() },
    }
    expect(bodies).toMatchObject([
      {
        ...{ hook: 'before_create', account_id: accountId, origin: 'create', request_id: 'req-1' },
        ...{ client_address: '192.0.2.7', hook_context: 'captcha', user: wire },
        actor: { type: 'operator', id: null },
      },
      {
        ...{ hook: 'before_update', before: wire, changed: ['roles', 'password'] },
        ...{ user: { roles: ['a'] }, client_address: null, hook_context: null },
      },
      { hook: 'before_sign_in', amr: ['pwd'], actor: { type: 'user', id: user.id } },
      { hook: 'token_claims', amr: ['pwd'], session_id: sid, impersonated_by: null },
    ])
    for (const { headers, body } of service.asked) {
      // Signed by the clock of the world, which is that of the machine
      expect(() => new Webhook(secret).verify(body, headers)).not.toThrow()
      expect(body).not.toContain(`:"${password}"`)
    }
  })

  test('refuses in its own words', async () => {
    service.answer({ before_create: { text: '{"refuse":"Only example.com."}' } })
    const created = world.createUser(accountId)
    await expect(created).rejects.toMatchObject({
      code: 'refused_by_hook',
      detail: 'Only example.com.',
    })
  })

  test('is not understood when it answers in another form', async () => {
    const wrong: { status?: number; text: string }[] = [
      { text: '' },
      { text: 'true' },
      { text: '[]' },
      { text: '{"refused":"no"}' },
      { text: '{"refuse":1}' },
      { text: '{"refuse":""}' },
      { text: '{"claims":{}}' },
      { status: 204, text: '' },
      { status: 302, text: '{}' },
      { status: 500, text: '{}' },
      { text: `{"refuse":"${'x'.repeat(40_000)}"}` },
    ]
    for (const answer of wrong) {
      service.answer({ before_create: answer })
      expect(await codeOf(world.createUser(accountId))).toBe('hook_unavailable')
    }
    const email = 'grace@example.com'
    service.answer({})
    await clientele.users.create(accountId, { name: 'Grace', email, password })
    for (const [text, code] of [
      ['{"claims":[]}', 'hook_unavailable'],
      ['{"claims":{"sub":"x"}}', 'hook_failed'],
      ['{"refuse":"No."}', 'refused_by_hook'],
    ] as const) {
      service.answer({ token_claims: { text } })
      expect(await codeOf(clientele.auth.logIn(accountId, { email, password }))).toBe(code)
    }
  })

  test('is not asked at a metadata address, and is named in wrong options', async () => {
    const hooks = { url: 'http://169.254.169.254/hooks', secret }
    const wrong = [
      hooks,
      { ...hooks, url: 'ftp://example.com' },
      { ...hooks, url: 'https://a:b@example.com' },
      { url: service.url, secret: 'whsec_short' },
      { url: service.url },
      { beforecreate: () => {} },
    ]
    for (const each of wrong)
      expect(await codeOf(createTestClientele({ hooks: each as never }))).toBe(
        'configuration_invalid',
      )
  })
})
