import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { openSmtpSender } from '../../packages/cli/src/server/mail/smtp-sender.ts'
import { TaskQueue } from '../../packages/core/src/base/runtime/task-queue.ts'
import { LogRecorder } from '../keys/open-clientele.ts'
import { startMailServer } from './mail-world.ts'

const many = 40

test('mails of an account that hang leave places to those of others', async () => {
  const tasks = new TaskQueue(new LogRecorder())
  const ends = Promise.withResolvers<void>()
  onTestFinished(() => ends.resolve())
  const first = async () => {}
  for (let index = 0; index < many; index++)
    await tasks.start(first, () => ends.promise, { accountId: 'busy' }, 'It failed.')
  let isSent = false
  const send = async () => {
    isSent = true
  }
  await tasks.start(first, send, { accountId: 'other' }, 'It failed.')
  await expect.poll(() => isSent).toBe(true)
  expect(tasks.load).toEqual({ running: 16, waiting: many - 16 })
})

test('a mail server that does not answer for the addresses of an account is asked about those of others', async () => {
  const box = await startMailServer({
    disabledCommands: ['STARTTLS'],
    onRcptTo: ({ address }, _session, answer) => {
      if (!address.endsWith('@tarpit.example')) answer()
    },
  })
  const template = { subject: 'A mail', text: 'Its text', html: undefined }
  const from = 'Acme <no-reply@acme.example>'
  const sender = openSmtpSender(`smtp://127.0.0.1:${box.port}`, from, () => template)
  onTestFinished(() => sender.close())
  const deliver = (accountId: string, to: string) => {
    const now = new Date()
    const user = { id: randomUUID(), name: 'Ada', email: to, isActive: true, roles: [] }
    return sender.deliver({
      ...{ id: randomUUID(), createdAt: now, queuedAt: performance.now() },
      mail: {
        ...{ kind: 'password_reset', accountId, to, token: 'x', expiresInSeconds: 3_600 },
        user: { ...user, metadata: {}, createdAt: now, updatedAt: now },
      },
    })
  }
  for (let index = 0; index < many; index++)
    deliver('busy', `ada${index}@tarpit.example`).catch(() => {})
  await sleep(100)
  const delivered = deliver('other', 'ada@example.com').then(() => true)
  // An address without an answer is given up after ten seconds.
  expect(await Promise.race([delivered, sleep(5_000, false)])).toBe(true)
  expect(box.mails.map(({ to }) => to?.[0]?.address)).toEqual(['ada@example.com'])
})
