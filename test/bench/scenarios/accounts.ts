import { openClientele, openRepository } from '../support/clientele.ts'
import { seedAccounts } from '../support/many-accounts.ts'
import { median, report } from '../support/report.ts'
import { newSqliteUrl } from '../support/seed.ts'
import type { Setting } from '../support/setting.ts'

const few = 1_000
const many = 100_000
/** As in the deliverer's `AccountSearch` */
const fewEndpoints = 1_000
const lowestId = '00000000-0000-0000-0000-000000000000'

/**
 * What a process costs in a database with 100,000 accounts, beside one with 1,000, where nobody does anything: each account
 * has a key and a read feed, each tenth an endpoint. What grows with the accounts, and not with what they do, shows.
 */
export async function serveAccounts({ postgres, rounds, databases }: Setting): Promise<void> {
  for (const database of databases) {
    const newUrl = async () =>
      database === 'SQLite' ? newSqliteUrl() : await postgres.createDatabase()
    const urls = [await newUrl(), await newUrl()] as const
    const seeds = [await seedAccounts(urls[0], few), await seedAccounts(urls[1], many)] as const
    const figures: Record<string, [number[], number[]]> = {}
    for (let round = 0; round < rounds; round++) {
      for (const index of [0, 1] as const) {
        for (const [work, time] of Object.entries(await timeAll(urls[index], seeds[index]))) {
          figures[work] ??= [[], []]
          figures[work][index].push(time)
        }
      }
    }
    for (const [work, [withFew, withMany]] of Object.entries(figures)) {
      const name = `${work}, ${database}, ${many.toLocaleString('en')} accounts`
      report(name, [median(withMany)], few.toLocaleString('en'), [median(withFew)], 'ms', {
        atMost: 2,
      })
    }
  }
}

/** How long each work takes, in milliseconds */
async function timeAll(
  url: string,
  { accountIds }: { accountIds: readonly string[] },
): Promise<Record<string, number>> {
  const times: Record<string, number> = {}
  const time = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const startedAt = performance.now()
    const result = await work()
    times[name] = performance.now() - startedAt
    return result
  }
  const clientele = await time('start', () => openClientele(url))
  await clientele.close()
  const repository = openRepository(url)
  const { events, storage, webhooks } = repository
  await storage.missingMigrations()
  const now = Date.now()
  await time('sweep', async () => {
    let after: string | undefined = lowestId
    while (after !== undefined)
      ({ next: after } = await storage.sweep(after, { now, eventsBefore: 0 }))
  })
  const { end } = await webhooks.findNews(undefined, now)
  await time("webhooks' search", async () => {
    // As a deliverer does each second
    const searched = (await webhooks.hasMoreThan(fewEndpoints))
      ? [
          ...(await webhooks.findNews(end, now)).accountIds,
          ...(await webhooks.listAccounts(lowestId, 500)),
        ]
      : undefined
    await webhooks.placeNews(searched)
    await webhooks.passOver(now, searched)
    await webhooks.findDue(now, { isFailing: false, limit: 10, accountIds: searched })
    await webhooks.findDue(now, { isFailing: true, limit: 10, accountIds: searched })
  })
  await time('heads of 100 feeds', () => events.findHeads(accountIds.slice(0, 100)))
  await storage.close()
  return times
}
