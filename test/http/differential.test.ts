import type { ClienteleOptions } from '@clientele/core'
import { describe, expect, test } from 'vitest'
import { databases, type TestDatabase } from '../support/databases.ts'
import { describeLeftOutTargets, kyselyTargets } from '../support/kysely-targets.ts'
import { runsEveryTest } from '../support/slow-tests.ts'
import type { Step } from './support/certain-steps.ts'
import { createRequestStream } from './support/request-stream.ts'
import type { Reply } from './support/send.ts'
import { hasPublishedVectors, readAddresses, readNaughtyStrings } from './support/vectors.ts'
import {
  type Combination,
  createTenant,
  openClientele,
  openDatabase,
  World,
} from './support/world.ts'
import { olderMajors, targets } from './targets/all.ts'
import { bare } from './targets/bare.ts'
import { express5 } from './targets/express.ts'
import type { Target } from './targets/target.ts'

const seed = Number(process.env.SEED ?? 20_260_505)
const strings = readNaughtyStrings()
const addresses = readAddresses()
/** By default a twentieth of what `.ci/run` sends: each request goes to every framework and database. */
const length = runsEveryTest ? 600 : 30
/** And a twentieth of the published lists */
const some = <T>(list: readonly T[]) => list.filter((_, index) => runsEveryTest || index % 20 === 0)
const stream = createRequestStream(seed, length, some(strings), some(addresses))
/** What is asked whatever the seed is, of a service that others know by an address */
const addressed = createRequestStream(seed, 0, [], [])

/** Puts numbers, by their order of appearance, for what cannot be alike twice. */
class Renaming {
  readonly #names = new Map<string, string>()

  apply(text: string): string {
    return text
      .replaceAll(
        /(cursor=|"next_cursor":")([\w-]+)/g,
        (_, head: string, cursor: string) => head + Buffer.from(cursor, 'base64url'),
      )
      .replaceAll(
        /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}|eyJ[\w-]+\.[\w-]+\.[\w-]+|(?<="refresh_token":")[\w-]+|whsec_[\w+/=]+|(?<="(?:kid|x|y)":")[\w-]{43}(?=")/g,
        (found) => {
          if (!this.#names.has(found)) this.#names.set(found, `<${this.#names.size}>`)
          return this.#names.get(found) ?? ''
        },
      )
  }
}

/** Sends a stream to one framework on a new database, and returns its answers. */
async function play(
  target: Target,
  database: TestDatabase,
  steps = stream,
  options: Partial<ClienteleOptions> = {},
): Promise<string[]> {
  const { opened, clientele, clock, mailing } = await openDatabase(database, options)
  const server = await target.start(clientele, 'prefix')
  try {
    const openAnother: Combination['openAnother'] = (more) => openClientele(opened.url, clock, more)
    const combination: Combination = {
      ...{ target, mounting: 'prefix', clientele, clock, server, mailing, openAnother },
    }
    const first = new World(combination, await createTenant(clientele), '')
    const second = new World(combination, await createTenant(clientele), '')
    const renaming = new Renaming()
    const ids: string[] = []
    const seen = { next: '/client/user', token: 'x' }
    const answers: string[] = []
    for (const step of steps) {
      clock.now += 7
      const world = step.as === 'first' ? first : second
      const reply = await world.send(fill(step, ids, seen, world.account.id))
      note(reply, ids, seen, world.prefix)
      const answer = `${reply.status} ${JSON.stringify(Object.entries(reply.headers).sort())} ${reply.body}`
      answers.push(renaming.apply(answer))
    }
    return answers
  } finally {
    await server.close()
    await clientele.close()
    await mailing.clientele.close()
    await opened.close()
  }
}

function fill(
  step: Step,
  ids: readonly string[],
  seen: { next: string; token: string },
  accountId: string,
): Step {
  const path = step.path
    .replace('{account}', accountId)
    .replace('{next}', seen.next)
    .replace(/\{(\d+)\}/, (_, index) => ids[index % (ids.length || 1)] ?? 'none-yet')
  const json =
    'json' in step
      ? { json: JSON.parse(JSON.stringify(step.json).replace('{token}', seen.token)) }
      : {}
  return { ...step, path, ...json }
}

function note(
  { status, headers, body }: Reply,
  ids: string[],
  seen: { next: string; token: string },
  prefix: string,
): void {
  if (status === 201) ids.push(JSON.parse(body).id)
  seen.token = /"token":"([^"]+)"/.exec(body)?.[1] ?? seen.token
  const next = /<([^>]+)>; rel="next"/.exec(headers.link ?? '')?.[1]
  if (next !== undefined) seen.next = next.slice(prefix.length)
}

/** What the core answers on SQLite. */
const oracle = play(bare, databases[0] as TestDatabase) // there is one at least

describe(`the same stream of ${stream.length} requests (seed ${seed})`, () => {
  test('causes every kind of response, and no internal error', async () => {
    const statuses = new Set((await oracle).map((answer) => Number(answer.slice(0, 3))))
    const wanted = [200, 201, 204, 304, 400, 401, 404, 405, 409, 412, 413, 415, 422]
    expect([...statuses]).toEqual(expect.arrayContaining(wanted))
    expect([...statuses].filter((status) => status >= 500)).toEqual([])
  })

  describe.each(databases)('$name', (database) => {
    const newest = targets.filter((target) => !olderMajors.includes(target))
    const usual = database.name === 'sqlite' ? newest : [bare]
    const tried = runsEveryTest ? targets : usual
    test.concurrent.each(tried)(
      '$name answers as the core does on SQLite',
      async (target) => {
        const expected = await oracle
        const answers = await play(target, database)
        const differences = answers.flatMap((answer, index) =>
          answer === expected[index]
            ? []
            : [{ request: stream[index], expected: expected[index], answer }],
        )
        expect(differences.slice(0, 3)).toEqual([])
        expect(answers.length).toBe(expected.length)
      },
      120_000,
    )
  })
})

describe('drivers that are not ours', () => {
  test.concurrent.each(kyselyTargets)(
    '$name answers as the core does on SQLite',
    async (driver) => {
      const opened = await driver.open()
      const open = async () => ({ url: '', close: opened.close })
      const database = { name: driver.dialect, open, openEmpty: open }
      const answers = await play(bare, database, stream, { repository: opened.open() })
      const expected = await oracle
      expect(answers.filter((answer, index) => answer !== expected[index]).slice(0, 3)).toEqual([])
      expect(answers.length).toBe(expected.length)
    },
    120_000,
  )
  describeLeftOutTargets()
})

describe(`${addressed.length} requests to a service that has a publicUrl`, () => {
  const options = { publicUrl: 'https://users.example.com/inside/api/v1' }
  const oracle = play(bare, databases[0] as TestDatabase, addressed, options) // there is one at least

  test('get responses with that address', async () => {
    const found = (await oracle).filter((answer) => answer.includes('"jwks_uri":"https://users.'))
    // Two documents, each of two accounts, and once more with a query
    expect(found).toHaveLength(6)
    expect((await oracle).filter((answer) => /"location","\/inside\/api/.test(answer))).not.toEqual(
      [],
    )
  })

  describe.each(databases)('$name', (database) => {
    // What address it has the core alone knows.
    const tried = runsEveryTest ? targets : [bare, express5]
    test.concurrent.each(tried)('$name answers as the core does on SQLite', async (target) => {
      expect(await play(target, database, addressed, options)).toEqual(await oracle)
    })
  })
})

describe.each(databases)('addresses on $name', (database) => {
  test('accepted input is returned as stored, and normalising it again changes nothing', async () => {
    const { opened, clientele, mailing } = await openDatabase(database)
    try {
      const { account } = await createTenant(clientele)
      const create = (email: string) =>
        clientele.users.create(account.id, { name: 'Name', email, password: 'secret1' })
      const stored = new Set<string>()
      for (const address of addresses) {
        const made = await create(address).catch((error: { code: string }) => error.code)
        if (typeof made === 'string') {
          expect(['validation_failed', 'email_taken']).toContain(made)
          continue
        }
        const { email, id } = made.user
        expect(stored.has(email)).toBe(false)
        stored.add(email)
        // The capitals of ß are two letters, which nothing takes back to one.
        const upper = address.toUpperCase()
        const isSame = upper.toLowerCase() === address.toLowerCase()
        for (const spelling of [email, address, ...(isSame ? [` ${upper}`] : [])]) {
          await expect(create(spelling)).rejects.toMatchObject({ code: 'email_taken' })
          const { data } = await clientele.users.list(account.id, { email: spelling })
          expect(data.map((user) => user.id)).toEqual([id])
        }
      }
      expect(stored.size).toBeGreaterThan(20)
    } finally {
      await clientele.close()
      await mailing.clientele.close()
      await opened.close()
    }
  }, 60_000)
})

test.skipIf(!hasPublishedVectors)(
  'the published strings and addresses are in the stream (skipped without ../shared/vectors)',
  () => expect(stream.length - length - addressed.length).toBeGreaterThan(runsEveryTest ? 400 : 50),
)
