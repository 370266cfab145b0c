import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { byUrl, ecJwk, IssuerWorld } from '../support/issuer-world.ts'
import { logIn } from '../support/log-in.ts'
import { serveIssuer } from '../support/serve-issuer.ts'
import { send } from './open-clientele.ts'

/** How long an issuer takes to show its keys, in milliseconds */
const slowMs = 600

describe.each(databases)(
  'a token that waits while its user is deactivated, on $name',
  ({ open }) => {
    let database: OpenDatabase
    const world = new IssuerWorld(() => database.url)
    beforeAll(async () => {
      database = await open()
    })
    afterAll(() => database.close())

    /** An account with a user whose token this process has not seen, and what asks it about tokens. */
    async function openHouse() {
      const opened = await world.openAccount()
      const { clientele, accountId, credentials } = opened
      const { clientele: elsewhere } = await world.start()
      const { token } = await logIn(elsewhere, accountId, credentials)
      const { apiKey: key } = await clientele.apiKeys.create(accountId)
      const ask = async (path: string, body: object) => {
        const sent = await send(clientele, 'POST', `/client/user/auth/${path}`, { key, body })
        return JSON.stringify(sent.body)
      }
      const deactivate = () => elsewhere.users.deactivate(accountId, opened.user.id)
      return { ...opened, token, ask, deactivate }
    }

    test('for the keys of another token of its batch is not valid', async () => {
      const { accountId, token, signByKey, ask, deactivate } = await openHouse()
      const { origin, answers } = await serveIssuer()
      let asked = () => {}
      const isAsked = new Promise<void>((resolve) => {
        asked = resolve
      })
      answers['/keys'] = async (response: ServerResponse) => {
        asked()
        await sleep(slowMs)
        response.end(JSON.stringify({ keys: [ecJwk] }))
      }
      const trustedIssuers = { allowPrivateAddresses: true }
      const { clientele: elsewhere } = await world.start({ trustedIssuers })
      await elsewhere.trustedIssuers.create(accountId, byUrl(`${origin}/keys`))
      const tokens = [token, await signByKey()].map((text) => `Bearer ${text}`)
      const validated = ask('validation-tokens', { tokens })
      await isAsked
      await deactivate()
      expect(await validated).not.toContain('"is_active":true')
    })

    test('for its turn behind the signatures of others is not valid', async () => {
      const { token, ask, deactivate } = await openHouse()
      const crowd = Array.from({ length: 80 }, (_, batch) =>
        ask('validation-tokens', {
          tokens: Array.from({ length: 100 }, (_, index) => `Bearer ${spoil(token, batch, index)}`),
        }),
      )
      await sleep(20)
      let isAnswered = false
      const validated = ask('validation-token', { token: `Bearer ${token}` }).finally(() => {
        isAnswered = true
      })
      await sleep(20)
      await deactivate()
      expect(isAnswered).toBe(false)
      expect(await validated).toContain('token_user_inactive')
      await Promise.all(crowd)
    })
  },
)

/** The token under a signature of the right length that is none. */
function spoil(token: string, batch: number, index: number): string {
  const signature = Buffer.alloc(64, 1)
  signature.writeUInt32BE(batch * 100 + index)
  return `${token.slice(0, token.lastIndexOf('.') + 1)}${signature.toString('base64url')}`
}
