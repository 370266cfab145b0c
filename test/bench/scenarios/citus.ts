import { randomBytes, randomUUID } from 'node:crypto'
import type { Clientele } from '@clientele/core'
import { postgres } from '@clientele/core/postgres'
import { openClientele } from '../support/clientele.ts'
import { loadByCpu, validation } from '../support/cpu-load.ts'
import { compare } from '../support/load.ts'
import { watchPostgresCpu } from '../support/postgres-cpu.ts'
import type { RawRequest } from '../support/raw-load.ts'
import { report } from '../support/report.ts'
import { type ClienteleSeed, seedClientele } from '../support/seed.ts'
import type { RunningServer } from '../support/server.ts'
import type { Setting } from '../support/setting.ts'
import { startShipped } from '../support/shipped.ts'

const accountCount = 8
const signedIn = 20
const pace = { rounds: 8, seconds: 0.7, warmupSeconds: 8 }
const atOnce = 16

/** One way to the rows, with all CPU time that it takes: of the server or program, and of every PostgreSQL process */
interface Contender {
  server: RunningServer
  clientele: Clientele
  cpuSeconds: () => number
  seeds: ClienteleSeed[]
}

/** What a call takes on a Citus cluster (`CITUS_URL`), beside a PostgreSQL of the same version (`PLAIN_URL`). */
export async function priceCitus({ rounds, seconds }: Setting): Promise<void> {
  const { CITUS_URL: citusUrl, PLAIN_URL: plainUrl } = process.env
  if (!citusUrl || !plainUrl) throw new Error('Name CITUS_URL and PLAIN_URL.')
  const [plain, citus] = [await prepare(plainUrl, false), await prepare(citusUrl, true)]
  const contenders = {
    plain: await open(plain, false),
    coordinator: await open(citus, false),
    direct: await open(citus, true),
  }
  const given = { ...pace, ...(rounds !== 5 && { rounds }), ...(seconds !== 3 && { seconds }) }
  for (const count of [1, accountCount]) {
    const accounts = count === 1 ? 'one account' : `${count} accounts`
    const works: [name: string, atLeast: number, work: (contender: Contender) => Work][] = [
      ['validation', 0.6, (contender) => overHttp(contender, count, validation)],
      ['list', 0.6, (contender) => overHttp(contender, count, list)],
      ['create', 0.4, (contender) => create(contender, count)],
    ]
    for (const [name, atLeast, work] of works) {
      const figures = await compare(
        Object.fromEntries(Object.entries(contenders).map(([way, each]) => [way, work(each)])),
        given,
      )
      const { plain: beside = [], coordinator = [], direct = [] } = figures
      const title = `${name}, ${accounts}`
      report(`${title}, through the coordinator`, coordinator, 'plain', beside, '/CPU s', {
        isQuiet: true,
      })
      report(`${title}, direct reads`, direct, 'plain', beside, '/CPU s', {
        isQuiet: true,
        atLeast,
      })
    }
  }
  for (const { server, clientele } of Object.values(contenders)) {
    await server.stop()
    await clientele.close()
  }
}

type Work = (seconds: number) => Promise<number>

async function prepare(url: string, distribute: boolean) {
  const schema = `bench_${randomBytes(6).toString('hex')}`
  const own = `${url}?schema=${schema}`
  const { storage } = postgres({ connectionString: own })
  await storage.migrate({ distribute })
  await storage.close()
  const seeds: ClienteleSeed[] = []
  for (let count = 0; count < accountCount; count++) seeds.push(await seedClientele(own, signedIn))
  return { url: own, seeds }
}

async function open(
  { url, seeds }: Awaited<ReturnType<typeof prepare>>,
  directReads: boolean,
): Promise<Contender> {
  const env = { DATABASE_DIRECT_READS: String(directReads), MIGRATE: 'false' }
  return {
    server: await startShipped(url, { env }),
    clientele: await openClientele(url, { cheapHashes: true, directReads }),
    cpuSeconds: await watchPostgresCpu(url),
    seeds,
  }
}

function overHttp(
  { server, cpuSeconds, seeds }: Contender,
  count: number,
  toNext: (seed: ClienteleSeed) => () => RawRequest,
): Work {
  const requests = seeds.slice(0, count).map(toNext)
  let turn = 0
  const next = () => {
    const request = requests[turn++ % requests.length]?.()
    if (request === undefined) throw new Error('There is no account.')
    return request
  }
  return loadByCpu({ ...server, cpuSeconds: () => server.cpuSeconds() + cpuSeconds() }, next)
}

function list({ apiKey }: ClienteleSeed): () => RawRequest {
  return () => ({ method: 'GET', path: '/client/user?limit=10&page=1', apiKey })
}

/** In this process, with cheap hashes: by the server it is the hash that is measured. */
function create({ clientele, cpuSeconds, seeds }: Contender, count: number): Work {
  const accountIds = seeds.slice(0, count).map(({ accountId }) => accountId)
  return async (seconds) => {
    const [end, before, own] = [
      performance.now() + seconds * 1000,
      cpuSeconds(),
      process.cpuUsage(),
    ]
    let turn = 0
    const loop = async () => {
      while (performance.now() < end) {
        const accountId = accountIds[turn++ % accountIds.length] ?? ''
        const email = `${randomUUID()}@example.com`
        await clientele.users.create(accountId, { email, name: 'Ada', password: 'secret password' })
      }
    }
    await Promise.all(Array.from({ length: atOnce }, loop))
    const { user, system } = process.cpuUsage(own)
    return turn / (cpuSeconds() - before + (user + system) / 1e6)
  }
}
