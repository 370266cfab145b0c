// A process of its own that attacks until it is told to end: node attacker.ts <name> <target as JSON>, with a channel to
// its parent. It says when it has begun, and at the end what it was answered with.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Target } from './attack.ts'
import { attacks } from './attack-table.ts'
import { Ways } from './ways.ts'

const [name = '', text = ''] = process.argv.slice(2)
const target: Target = JSON.parse(text)
const attack = attacks.find((each) => each.name === name)
if (attack === undefined) throw new Error(`There is no attack ${name}.`)

const ways = new Ways(target.base)
process.once('message', async () => {
  // What is dear for the server is answered late.
  for (let count = 0; count < 600 && Object.keys(ways.answers).length === 0; count++)
    await sleep(50)
  ways.end()
  await running
  process.send?.(ways.answers)
})
const running = attack.run(ways, target)
// Some prepare first.
await Promise.race([running, ways.begun])
await sleep(200)
process.send?.('begun')
