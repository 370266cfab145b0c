import type { Answer } from '../support/answers.ts'
import type { Call, World } from '../support/world.ts'

/** One case of the contract. Each has an account of its own. */
export interface Case {
  name: string
  run(world: World): Promise<unknown>
}

/** A request and its exact answer. */
export function row(
  name: string,
  call: Call | ((world: World) => Call | Promise<Call>),
  answer: Answer,
): Case {
  return {
    name,
    run: async (world) =>
      world.check(typeof call === 'function' ? await call(world) : call, answer),
  }
}

/** Several requests that follow on each other. */
export function flow(name: string, run: (world: World) => Promise<unknown>): Case {
  return { name, run }
}

export const absentId = '019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f'
export const ada = { name: 'Ada Lovelace', email: 'ada@example.com' }
export const newAda = { ...ada, password: 'correct horse' }
