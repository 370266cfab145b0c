import { openClientele } from '../support/clientele.ts'
import { createLivelyAccount } from '../support/lively-account.ts'
import { report } from '../support/report.ts'
import { newSqliteUrl } from '../support/seed.ts'
import type { Setting } from '../support/setting.ts'

const longestMs = 300
const longestAgainMs = 50

/**
 * The console's overview of 30 days, of an account with the given number of users and three times as many events: how
 * long the first
 * one takes in a process, and the next.
 */
export async function readOverviews({
  postgres,
  rounds,
  users,
  databases,
}: Setting): Promise<void> {
  for (const database of databases) {
    const url = database === 'SQLite' ? newSqliteUrl() : await postgres.createDatabase()
    const { apiKey } = await createLivelyAccount(url, users)
    await timeOverviews(`overview, ${database}, ${users.toLocaleString('en')} users`, url, {
      apiKey,
      rounds,
    })
  }
}

/** The overview of an account of a database. */
export async function timeOverviews(
  work: string,
  url: string,
  { apiKey, rounds }: { apiKey: string; rounds: number },
): Promise<void> {
  const first: number[] = []
  const again: number[] = []
  for (let round = 0; round < rounds; round++) {
    const { read, close } = await openOverview(url, apiKey)
    first.push(await timeOf(read))
    again.push(await timeOf(read))
    await close()
  }
  const targets = (milliseconds: number) => first.map(() => milliseconds)
  report(work, first, 'target', targets(longestMs), 'ms', { atMost: 1 })
  report(`${work}, again`, again, 'target', targets(longestAgainMs), 'ms', { atMost: 1 })
}

/** A process of its own, with its own cache, which serves the console. */
async function openOverview(url: string, apiKey: string) {
  const clientele = await openClientele(url)
  const page = clientele.console.routes({ readFile: async () => undefined })
  async function ask(method: string, path: string, cookie: string, body?: object) {
    const headers = {
      'clientele-console': '1',
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/json',
      cookie,
    }
    const response = await page.handle({
      method,
      url: `/client/console/${path}`,
      mountPath: '/api/v1',
      headers,
      rawHeaders: Object.entries(headers).flat(),
      body: new Blob(body === undefined ? [] : [JSON.stringify(body)]).stream(),
      clientAddress: '127.0.0.1',
    })
    if (response === undefined || response.status >= 300)
      throw new Error(`${path}: ${response?.status} ${response?.body}`)
    return response
  }
  const signedIn = await ask('POST', 'session', '', { api_key: apiKey })
  const cookie = /^[^;]+/.exec(signedIn.headers['set-cookie'] ?? '')?.[0] ?? ''
  return {
    read: async (): Promise<void> => {
      await ask('GET', 'overview', cookie)
    },
    close: () => clientele.close(),
  }
}

async function timeOf(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}
