import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anyServerDatabase } from '../support/databases.ts'
import { attacks } from './attacks/attack-table.ts'
import { AttackWorld } from './attacks/attack-world.ts'

/** One of every caller; attack-kit.test.ts has all, and measures. */
const names = ['pipelining', 'badly signed tokens', 'wrong passwords']
const validations = 5
const sizes = { users: 10, events: 10, dearUsers: 1 }

describe.each(anyServerDatabase)('while another caller attacks on $name', (database) => {
  let world: AttackWorld
  beforeAll(async () => {
    world = await AttackWorld.open(database, sizes)
  })
  afterAll(() => world.close())

  test.each(attacks.filter(({ name }) => names.includes(name)))(
    'an account is answered: $from, $name',
    async (attack) => {
      const answers = await world.attack(attack, async () => {
        for (let count = 0; count < validations; count++) await world.other.validate()
      })
      expect(Object.keys(answers)).not.toEqual([])
    },
  )
})

test('each kind of caller attacks once', () => {
  const callers = names.map((name) => attacks.find((attack) => attack.name === name)?.from)
  expect(callers).toEqual(['stranger', "key's holder", 'user'])
})
