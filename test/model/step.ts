import type { Service } from './service.ts'
import type { Answer, State } from './state.ts'

/** One request of a client, and what the rule says of it. */
export interface Step {
  /** As it is printed: `replace user3, If-Match 2` */
  words: string
  ask(): Promise<Answer>
  /** Returns what has to be answered, and changes the state as the service has to have changed. */
  expect(state: State): Answer
}

/**
 * Makes a step from what the service has answered so far; undefined where there is nothing yet to make it from. The
 * step's number names what it makes.
 */
export type Plan = (service: Service, number: number) => Step | undefined
