import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anyDatabase, type OpenDatabase } from '../support/databases.ts'
import { byKeys, byUrl, ecJwk, IssuerWorld } from '../support/issuer-world.ts'
import { logIn } from '../support/log-in.ts'
import { serveIssuer } from '../support/serve-issuer.ts'
import { send } from './open-clientele.ts'

/** How long an issuer takes to show its keys, in milliseconds */
const slowMs = 600

describe.each(anyDatabase)('a token that waits on $name', ({ open }) => {
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
    /** Asks about a token behind thousands of bad signatures, which are looked at one after the other. */
    const askInCrowd = async (asked: string, meanwhile: () => Promise<unknown>) => {
      const batches = Array.from({ length: 95 }, (_, batch) =>
        Array.from({ length: 100 }, (_, index) => `Bearer ${spoil(token, batch, index)}`),
      )
      const crowd = batches.map((tokens) => ask('validation-tokens', { tokens }))
      await sleep(20)
      const validated = ask('validation-token', { token: `Bearer ${asked}` })
      await sleep(1)
      await meanwhile()
      // What was read of the user holds for 100 ms, and a fast machine may be through with the crowd by then.
      holdTheLoop(150)
      await Promise.all(crowd)
      return validated
    }
    const deactivate = () => elsewhere.users.deactivate(accountId, opened.user.id)
    return { ...opened, token, ask, askInCrowd, deactivate }
  }

  test('for the keys of another token of its batch is not valid for a user who is deactivated meanwhile', async () => {
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

  test('for its turn is not valid for a user who is deactivated meanwhile', async () => {
    const answers = await repeatUntil('token_user_inactive', async () => {
      const { token, askInCrowd, deactivate } = await openHouse()
      return askInCrowd(token, deactivate)
    })
    expect(answers.at(-1)).toContain('token_user_inactive')
  })

  test.each([
    ['deleted', 'token_unknown_key'],
    ['changed', 'token_claims_invalid'],
  ])('for its turn is not valid where its issuer is %s meanwhile', async (how, code) => {
    const answers = await repeatUntil(code, async () => {
      const { clientele, accountId, trust, signByKey, askInCrowd } = await openHouse()
      const { trustedIssuers } = clientele
      const { id } = await trust(byKeys)
      const change = () =>
        how === 'deleted'
          ? trustedIssuers.delete(accountId, id)
          : trustedIssuers.update(accountId, id, { audience: ['https://other.example'] })
      return askInCrowd(await signByKey(), change)
    })
    expect(answers.at(-1)).toContain(code)
  })
})

/**
 * What the attempts were answered, up to the first with this code. The token may have been looked at before the change; if it
 * were looked at before it waits, it would be so each time.
 */
async function repeatUntil(code: string, attempt: () => Promise<string>): Promise<string[]> {
  const answers: string[] = []
  while (answers.length < 12 && answers.at(-1)?.includes(code) !== true)
    answers.push(await attempt())
  return answers
}

function holdTheLoop(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

/** The token under a signature of the right length that is none. */
function spoil(token: string, batch: number, index: number): string {
  const signature = Buffer.alloc(64, 1)
  signature.writeUInt32BE(batch * 100 + index)
  return `${token.slice(0, token.lastIndexOf('.') + 1)}${signature.toString('base64url')}`
}
