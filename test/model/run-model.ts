import type { Clientele, ClienteleOptions, Repository } from '@clientele/core'
import fc from 'fast-check'
import type { Theme } from './commands.ts'
import { readFeed } from './events.ts'
import { readFactors } from './factors.ts'
import { Gate } from './gate.ts'
import { Model } from './model.ts'
import { Service } from './service.ts'
import { validateToken } from './sessions.ts'
import { listUsers, readUserNamed } from './users.ts'

/** The service with the gate before its stores, on one database for many runs: each run has an account of its own. */
export interface Ground {
  clientele: Clientele
  gate: Gate
  clock: { now: number }
  sweep(accountId: string): Promise<void>
}

/** How often a property is tried with one seed */
export const numRuns = 6

const start = Date.parse('2026-05-05T23:41:45.619Z')
const unlimited = { points: 1_000_000, windowSeconds: 3600 }

export async function openGround(
  create: (options: ClienteleOptions) => Promise<Clientele>,
  repository: Repository,
): Promise<Ground> {
  const gate = new Gate()
  const clock = { now: start }
  const { storage } = repository
  // When expired rows are deleted is a step of the model.
  const idle = { ...storage, sweep: async () => ({ agedFeeds: [], next: undefined }) }
  const clientele = await create({
    repository: { ...gate.guard(repository), storage: idle },
    secrets: ['an encryption secret for tests only, of no worth'],
    passwords: { hashing: { memoryKiB: 8, passes: 1, lanes: 1 } },
    rateLimits: {
      login: unlimited,
      mfa: unlimited,
      refresh: unlimited,
      unknownEmails: unlimited,
    },
    logger: { info: () => {}, warn: () => {}, error: console.error },
    clock: () => clock.now,
  })
  return {
    clientele,
    gate,
    clock,
    sweep: async (accountId) => {
      // The first account after this id is the account, or another that was made in the same moment.
      const before = `${accountId.slice(0, -12)}000000000000`
      const now = clock.now - 10_000
      await storage.sweep(before, { now, eventsBefore: now - 90 * 24 * 3600_000 })
    },
  }
}

/** What a theme promises, as a property that fast-check tries. */
export function createProperty(ground: Ground, theme: Theme) {
  const commands = fc.commands([...theme.commands], { maxCommands: 30, size: 'max' })
  return fc.asyncProperty(fc.scheduler(), commands, async (scheduler, asked) => {
    const model = await openModel(ground, scheduler)
    await fc.asyncModelRun(async () => {
      for (const plan of theme.first) await model.ask(plan)
      return { model: {}, real: model }
    }, asked)
    await readAll(model)
  })
}

async function openModel({ clientele, gate, clock, sweep }: Ground, scheduler: fc.Scheduler) {
  clock.now = start
  const account = await clientele.accounts.create({ name: 'Acme' })
  const { apiKey } = await clientele.apiKeys.create(account.id)
  return new Model(new Service(clientele, apiKey, clock, () => sweep(account.id)), gate, scheduler)
}

/** What is wrong in the end is seen, whether or not a step has asked for it. */
async function readAll(model: Model): Promise<void> {
  const { service } = model
  await model.ask(listUsers())
  for (const user of service.all('user')) {
    await model.ask(readUserNamed(user))
    await model.ask(readFactors(user))
  }
  for (const token of service.all('token')) await model.ask(validateToken(token))
  await model.ask(readFeed)
}
