import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases } from '../support/databases.ts'
import { type Attack, bounds, toBoundWhileBusy } from './attacks/attack.ts'
import { attacks } from './attacks/attack-table.ts'
import { AttackWorld } from './attacks/attack-world.ts'

const attackMilliseconds = 2_000
const tries = 3
const sizes = { users: 100_000, events: 200_000, dearUsers: 400 }

/**
 * What another caller can cost an account: attacks/attack-table.ts says what is sent, attacks/attack.ts what it may cost.
 * What the machine does besides makes some tries worse, and none better, so that the best of them counts.
 */
describe.each(databases)('under attack on $name', (database) => {
  let world: AttackWorld
  beforeAll(async () => {
    world = await AttackWorld.open(database, sizes)
    await world.other.findWait(attackMilliseconds)
  }, 180_000)
  afterAll(() => world.close())

  /** Attacks until the other account's wait is within the bound; what each try found, where none was. */
  async function tryToHold(attack: Attack) {
    const found: { wait: number; bound: number }[] = []
    for (let count = 0; count < tries; count++) {
      let wait = Number.POSITIVE_INFINITY
      const answers = await world.attack(attack, async () => {
        wait = await world.other.findWait(attackMilliseconds, attack.meetsNewConnections)
      })
      // It did attack, and what it was answered is no fault of the server.
      const statuses = Object.keys(answers)
      expect(statuses).not.toEqual([])
      expect(
        statuses.filter((status) => /^5(?!03)/.test(status)),
        world.errors,
      ).toEqual([])
      if (process.env.SHOW_WAITS === 'true')
        console.log(
          `${database.name}: ${attack.from}, ${attack.name}: ${wait} ms, ${world.peakMebibytes} MiB`,
          answers,
        )
      if (wait <= bounds.waitMilliseconds) return []
      // What it has left behind is not what the machine does besides.
      await sleep(1_000)
      const bound = toBoundWhileBusy(await world.other.findWait(attackMilliseconds))
      if (wait <= bound) return []
      found.push({ wait, bound })
    }
    return found
  }

  test.each(attacks)(
    "$name, a $from's: $what",
    async (attack) => {
      expect(await tryToHold(attack)).toEqual([])
      expect(world.peakMebibytes ?? 0).toBeLessThan(bounds.residentMebibytes)
    },
    120_000,
  )
})
