import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import type { Mail } from '@clientele/core'
import { expect, onTestFinished, test } from 'vitest'
import { MailFailure } from '../../packages/cli/src/server/mail/mail-sender.ts'
import { openWebhookSender } from '../../packages/cli/src/server/mail/webhook-sender.ts'

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const now = new Date(0)
const mail: Mail = {
  kind: 'password_reset',
  accountId: 'acme',
  to: 'ada@example.com',
  user: {
    ...{ id: 'ada', name: 'Ada', email: 'ada@example.com', phone: null, isActive: true },
    ...{ roles: [], metadata: {}, createdAt: now, updatedAt: now },
  },
  token: 'x',
  expiresInSeconds: 3_600,
}

/** Delivers a mail to a receiver that answers so. @returns the failure, undefined if there is none */
async function deliver(answer: (socket: Socket) => void): Promise<unknown> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => answer(socket))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  const sender = openWebhookSender(`http://127.0.0.1:${port}/mails`, secret)
  return sender
    .deliver({ id: 'mail_1', createdAt: new Date(), queuedAt: 0, mail })
    .catch((error: unknown) => error)
}

const hints = (count: number) => 'HTTP/1.1 103 Early Hints\r\nx: y\r\n\r\n'.repeat(count)
const accepted = 'HTTP/1.1 202 Accepted\r\nTransfer-Encoding: chunked\r\n\r\n'

test.each([0, 5])('a response behind %i informational ones is accepted', async (count) => {
  expect(await deliver((socket) => socket.end(`${hints(count)}${accepted}0\r\n\r\n`))).toBe(
    undefined,
  )
})

test.each([6, 10_000])('a response behind %i informational ones is not accepted', async (count) => {
  const failure = await deliver((socket) => socket.write(`${hints(count)}${accepted}0\r\n\r\n`))
  expect(failure).toEqual(
    new MailFailure('MAIL_WEBHOOK could not be reached (too many informational responses).'),
  )
  expect(failure).toMatchObject({ isFinal: false })
})

test('the body is not read', async () => {
  expect(await deliver((socket) => socket.write(`${accepted}${'1\r\nx\r\n'.repeat(10_000)}`))).toBe(
    undefined,
  )
})

test.each([
  ['ends without an answer', (socket: Socket) => socket.end(), 'ECONNRESET'],
  ['is broken off', (socket: Socket) => socket.resetAndDestroy(), 'ECONNRESET'],
  [
    'is upgraded',
    (socket: Socket) =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
    'no answer',
  ],
  ['speaks no HTTP', (socket: Socket) => socket.end('220 ready\r\n'), 'HPE_INVALID_CONSTANT'],
])('a connection that %s is tried again', async (_, answer, reason) => {
  const failure = await deliver(answer)
  expect(failure).toEqual(new MailFailure(`MAIL_WEBHOOK could not be reached (${reason}).`))
  expect(failure).toMatchObject({ isFinal: false })
})
