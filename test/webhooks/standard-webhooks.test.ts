import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { signMessage } from '../../packages/core/src/base/outbound/sign-message.ts'

/** The vector that Standard Webhooks and its libraries publish in their own tests. */
const vector = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestamp: 1_614_265_330,
  payload: '{"test": 2432232314}',
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
}

test('the library of the receivers gives the published signature', () => {
  const { secret, id, timestamp, payload, signature } = vector
  const at = new Date(timestamp * 1000)
  expect(new Webhook(secret).sign(id, at, payload)).toBe(signature)
})

const sign = (id: string, at: number, text: string, ...secrets: string[]) =>
  signMessage(secrets, { id, at, body: new TextEncoder().encode(text) })

test('we give the published signature', () => {
  const { secret, id, timestamp, payload, signature } = vector
  expect(sign(id, timestamp * 1000 + 999, payload, secret)).toMatchObject({
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signature,
  })
})

test.each([24, 32, 33, 64, 65])('the library verifies what we sign with %i bytes', (bytes) => {
  const [secret, next] = [1, 2].map(
    (byte) => `whsec_${Buffer.alloc(bytes, byte).toString('base64')}`,
  )
  const text = JSON.stringify({ name: 'Zoë 語 \u{1f511}' })
  const headers = sign('msg_1', Date.now(), text, secret ?? '', next ?? '')
  for (const each of [secret, next])
    expect(new Webhook(each ?? '').verify(text, headers)).toEqual(JSON.parse(text))
})
