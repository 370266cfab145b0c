import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { clienteleListener } from '@clientele/core/node'
import { expect, onTestFinished, test } from 'vitest'
import { openClientele } from '../keys/open-clientele.ts'
import { logIn } from '../support/log-in.ts'

const slowSenders = 100
const validations = 60

test('validations that come at once do not wait for bodies of their account that come slowly', async () => {
  const clientele = await openClientele('sqlite::memory:')
  const { id: accountId } = await clientele.accounts.create({ name: 'Acme' })
  const { apiKey: key } = await clientele.apiKeys.create(accountId)
  const credentials = { email: 'ada@example.com', password: 'password' }
  await clientele.users.create(accountId, { name: 'Ada', ...credentials })
  const { token } = await logIn(clientele, accountId, credentials)
  const server = createServer(clienteleListener(clientele))
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await clientele.close()
  })
  const { port } = server.address() as AddressInfo // it listens on TCP
  const head = `POST /client/user/auth/validation-tokens HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n{`
  for (let count = 0; count < slowSenders; count++) {
    const socket = connect(port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.write(head)
  }
  await sleep(500)
  const validate = async (number: number): Promise<number | undefined> => {
    // Each body is another text, so that none is known.
    const parsedBody = { token: `Bearer ${' '.repeat(number)}${token}` }
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': String(JSON.stringify(parsedBody).length),
    }
    const response = await clientele.handle({
      method: 'POST',
      url: '/client/user/auth/validation-token',
      mountPath: '',
      headers,
      rawHeaders: Object.entries(headers).flat(),
      body: (async function* () {})(),
      parsedBody,
    })
    return response?.status
  }
  const answers = Array.from({ length: validations }, (_, number) => validate(number + 1))
  expect(new Set(await Promise.all(answers))).toEqual(new Set([200]))
}, 10_000)
