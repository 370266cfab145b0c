import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { clienteleListener } from '@clientele/core/node'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openClientele } from '../keys/open-clientele.ts'
import { anyDatabase, type OpenDatabase } from '../support/databases.ts'
import { logIn } from '../support/log-in.ts'

const connections = 8
const batches = 24
const tokensOfBatch = 100

interface Tenant {
  key: string
  token: string
}

describe.each(anyDatabase)('badly signed tokens on $name', ({ open }) => {
  let database: OpenDatabase
  let port: number
  let attacked: Tenant
  let other: Tenant
  let close: () => Promise<void>
  const agent = new Agent({ keepAlive: true, maxSockets: 2 * connections })

  beforeAll(async () => {
    database = await open()
    const clientele = await openClientele(database.url)
    const addTenant = async (name: string): Promise<Tenant> => {
      const { id } = await clientele.accounts.create({ name })
      const credentials = { email: 'ada@example.com', password: 'password' }
      await clientele.users.create(id, { name: 'Ada', ...credentials })
      const { token } = await logIn(clientele, id, credentials)
      return { key: (await clientele.apiKeys.create(id)).apiKey, token }
    }
    attacked = await addTenant('Attacked')
    other = await addTenant('Other')
    const server = createServer(clienteleListener(clientele))
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve)
    })
    port = (server.address() as AddressInfo).port // it listens on TCP
    close = async () => {
      agent.destroy()
      server.closeAllConnections()
      server.close()
      await clientele.close()
      await database.close()
    }
  })
  afterAll(() => close())

  /** Answers with the status. */
  function post(path: string, { key }: Tenant, content: unknown): Promise<number> {
    const body = JSON.stringify(content)
    return new Promise((resolve, reject) => {
      const sent = request({
        port,
        agent,
        method: 'POST',
        path: `/client/user/auth/${path}`,
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        },
      })
      sent.on('response', (response) => {
        response.resume().on('end', () => resolve(response.statusCode ?? 0))
      })
      sent.on('error', reject).end(body)
    })
  }

  const validate = (tenant: Tenant, token: string) =>
    post('validation-token', tenant, { token: `Bearer ${token}` })

  test('in batches leave another account its turns', async () => {
    let sent = 0
    let isOver = false
    const attack = async (): Promise<void> => {
      while (sent < batches) {
        const number = ++sent
        const tokens = Array.from(
          { length: tokensOfBatch },
          (_, index) => `Bearer ${spoil(attacked.token, number * tokensOfBatch + index)}`,
        )
        expect(await post('validation-tokens', attacked, { tokens })).toBe(200)
      }
    }
    const attacks = Promise.all(Array.from({ length: connections }, attack)).finally(() => {
      isOver = true
    })
    const statuses: number[] = []
    // The second of each pair has a signature that has to be looked at.
    while (!isOver) {
      statuses.push(await validate(other, other.token))
      statuses.push(await validate(other, spoil(other.token, statuses.length)))
    }
    await attacks
    // One after the other, and more of them than batches: none waits for a batch.
    expect(statuses.length).toBeGreaterThan(batches)
    expect(statuses.filter((_, index) => index % 2 === 0)).toEqual(
      new Array(statuses.length / 2).fill(200),
    )
    expect(new Set(statuses)).toEqual(new Set([200, 401]))
  }, 120_000)
})

test('tokens that are issued for one account let that of another through', async () => {
  const clientele = await openClientele('sqlite::memory:', { signingAlgorithm: 'RS256' })
  onTestFinished(() => clientele.close())
  const add = async (name: string) => {
    const { id } = await clientele.accounts.create({ name })
    const credentials = { email: 'ada@example.com', password: 'password' }
    const { user } = await clientele.users.create(id, { name: 'Ada', ...credentials })
    const { token } = await clientele.userTokens.create(id, user.id, { name: 'Script' })
    return () => clientele.auth.exchangeToken(id, token)
  }
  const exchange = await add('Busy')
  const exchangeOther = await add('Other')
  // Keys are made with the first tokens.
  await Promise.all([exchange(), exchangeOther()])
  let issued = 0
  const many = Array.from({ length: 1_000 }, () => exchange().then(() => issued++))
  await exchangeOther()
  expect(issued).toBeLessThan(40)
  await Promise.all(many)
})

/** The token under a signature of the right length that is none; each number gives another. */
function spoil(token: string, number: number): string {
  const signature = Buffer.alloc(64, 1)
  signature.writeUInt32BE(number)
  return `${token.slice(0, token.lastIndexOf('.') + 1)}${signature.toString('base64url')}`
}
