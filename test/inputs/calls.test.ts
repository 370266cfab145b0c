import { Readable } from 'node:stream'
import type { Actor, CallInput, Clientele, ClienteleEvents, EventName } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LogRecorder, openClientele } from '../keys/open-clientele.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'

const databases = eitherDatabase(import.meta.filename)

const password = 'correct horse'
const names = [
  'user.created',
  'user.updated',
  'user.logged_in',
  'session.refreshed',
  'user.logged_out',
  'user.password_reset',
] as const satisfies EventName[]

describe.each(databases)('calls on $name', ({ open }) => {
  let database: OpenDatabase
  let clientele: Clientele
  let accountId: string
  let key: { id: string; apiKey: string }
  const logger = new LogRecorder()
  const mails: string[] = []
  let mailsFail = false
  const heard: { name: EventName; actor: Actor; requestId: string; accountId: string }[] = []

  beforeAll(async () => {
    database = await open()
    clientele = await openClientele(database.url, {
      logger,
      sendMail: async (mail) => {
        if (mailsFail) throw new Error('No mail goes out.')
        mails.push('token' in mail ? mail.token : mail.code)
      },
    })
    accountId = (await clientele.accounts.create({ name: 'Acme' })).id
    key = await clientele.apiKeys.create(accountId)
    for (const name of names) {
      clientele.events.on(name, (event: ClienteleEvents[typeof name]) => {
        const { actor, requestId } = event
        heard.push({ name, actor, requestId, accountId: event.accountId })
      })
    }
  })
  afterAll(async () => {
    await clientele.close()
    await database.close()
  })

  const add = (call: CallInput, email: string) =>
    clientele.users.create(call, { name: 'Ada', email, password })

  async function post(url: string, body: unknown) {
    const headers = {
      authorization: `Bearer ${key.apiKey}`,
      'content-type': 'application/json',
    }
    const answer = await clientele.handle({
      ...{ method: 'POST', url, mountPath: '', headers, parsedBody: body },
      rawHeaders: Object.entries(headers).flat(),
      body: Readable.from([]),
    })
    return {
      status: answer?.status,
      requestId: answer?.headers['x-request-id'],
      data: JSON.parse(answer?.body || '{}').data as Record<string, string>, // of a session, where it is read
    }
  }

  test('a call that is only an id has the operator as actor, and gets a request id', async () => {
    heard.length = 0
    await add(accountId, 'plain@example.com')
    const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/)
    const actor = { type: 'operator', id: null }
    expect(heard).toEqual([{ name: 'user.created', accountId, actor, requestId: uuid }])
  })

  test('a host can name the actor and the request', async () => {
    heard.length = 0
    const actor: Actor = { type: 'api_key', id: key.id }
    await add({ accountId: accountId.toUpperCase(), actor, requestId: 'req-1' }, 'said@example.com')
    expect(heard).toEqual([{ name: 'user.created', accountId, actor, requestId: 'req-1' }])
  })

  test('over HTTP the API key is the actor, and the event has the id of the answer', async () => {
    heard.length = 0
    const body = { name: 'Ada', email: 'http@example.com', password }
    const { status, requestId } = await post('/client/user', body)
    expect(status).toBe(201)
    const actor = { type: 'api_key', id: key.id }
    expect(heard).toEqual([{ name: 'user.created', accountId, actor, requestId }])
  })

  test('a user is the actor of requests with their own password or token, whatever API key is used', async () => {
    const email = 'own@example.com'
    const { user } = await add(accountId, email)
    heard.length = 0
    const ask = (path: string, input: object) => post(`/client/user/auth/${path}`, input)
    const login = await ask('login', { email, password })
    const { refresh_token } = login.data
    const refresh = await ask('refresh', { refresh_token })
    const logout = await ask('logout', { refresh_token: refresh.data.refresh_token })
    await ask('password/forgot', { email })
    await expect.poll(() => mails.length).toBe(1)
    const reset = await ask('password/reset', { token: mails.pop(), password: 'another one' })
    const byUser = { accountId, actor: { type: 'user', id: user.id } }
    expect(heard).toEqual([
      { ...byUser, name: 'user.logged_in', requestId: login.requestId },
      { ...byUser, name: 'session.refreshed', requestId: refresh.requestId },
      { ...byUser, name: 'user.logged_out', requestId: logout.requestId },
      { ...byUser, name: 'user.password_reset', requestId: reset.requestId },
    ])
  })

  test('the events of the first account and of signing keys name the actor', async () => {
    const actor: Actor = { type: 'system', id: null }
    const opened = await open()
    const fresh = await openClientele(opened.url)
    const told: object[] = []
    for (const name of [
      'api_key.created',
      'signing_key.rotated',
      'signing_key.retired',
      'signing_key.removed',
    ] as const) {
      fresh.events.on(name, (event: ClienteleEvents[typeof name]) => {
        told.push({ name, actor: event.actor, requestId: event.requestId })
      })
    }
    const call = (requestId: string) => ({ actor, requestId })
    const first = await fresh.accounts.bootstrap(call('req-1'), { name: 'Acme' })
    const accountId = first?.account.id ?? ''
    const inAccount = (requestId: string) => ({ accountId, ...call(requestId) })
    await fresh.signingKeys.rotate(inAccount('req-2'))
    const { id } = await fresh.signingKeys.rotate(inAccount('req-3'))
    await fresh.signingKeys.retire(inAccount('req-4'), id)
    await fresh.signingKeys.remove(inAccount('req-5'), id)
    const { id: left } = await fresh.signingKeys.rotate(accountId)
    await fresh.signingKeys.remove(accountId, left)
    await fresh.close()
    await opened.close()
    expect(told).toEqual([
      { name: 'api_key.created', ...call('req-1') },
      { name: 'signing_key.rotated', ...call('req-3') },
      { name: 'signing_key.retired', ...call('req-4') },
      { name: 'signing_key.removed', ...call('req-5') },
      {
        name: 'signing_key.removed',
        actor: { type: 'operator', id: null },
        requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
    ])
  })

  test('a failure after the response is logged with the id of the request', async () => {
    const email = 'mail@example.com'
    await add(accountId, email)
    mailsFail = true
    const failed = () => logger.lines.find(({ message }) => message === 'A mail could not be sent.')
    await clientele.auth.forgotPassword({ accountId, requestId: 'req-2' }, { email })
    await expect.poll(() => failed()?.details).toMatchObject({ requestId: 'req-2', accountId })
    const stop = clientele.events.on('user.created', () => {
      throw new Error('A fault of the listener.')
    })
    await add({ accountId, requestId: 'req-3' }, 'listener@example.com')
    stop()
    const fault = () => logger.lines.find(({ message }) => message === 'A listener failed.')
    await expect.poll(() => fault()?.details).toMatchObject({ requestId: 'req-3' })
  })
})
