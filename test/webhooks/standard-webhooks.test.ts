import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'

/** The vector that Standard Webhooks and its libraries publish in their own tests. */
const vector = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestamp: 1_614_265_330,
  payload: '{"test": 2432232314}',
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
}

test('the library that signs gives the published signature', () => {
  const { secret, id, timestamp, payload, signature } = vector
  const at = new Date(timestamp * 1000)
  expect(new Webhook(secret).sign(id, at, payload)).toBe(signature)
})

test('the rule of the specification gives the same signature', () => {
  const { secret, id, timestamp, payload, signature } = vector
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const digest = createHmac('sha256', key).update(`${id}.${timestamp}.${payload}`).digest('base64')
  expect(`v1,${digest}`).toBe(signature)
})
