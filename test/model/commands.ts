import fc from 'fast-check'
import { clockPlans } from './clock.ts'
import { eventPlans } from './events.ts'
import { confirm, enrol, factorPlans } from './factors.ts'
import { idempotencyPlans } from './idempotency.ts'
import type { Model } from './model.ts'
import { refreshTokenPlans } from './refresh-tokens.ts'
import { sessionPlans, signIn } from './sessions.ts'
import type { Plan } from './step.ts'
import { createUser, userPlans } from './users.ts'

type Plans = readonly fc.WeightedArbitrary<Plan>[]
/** The model checks itself: fast-check needs no other. */
type Command = fc.AsyncCommand<object, Model>

class One implements Command {
  readonly #plan: Plan
  constructor(plan: Plan) {
    this.#plan = plan
  }
  check = () => true
  run = (_: object, model: Model) => model.ask(this.#plan)
  // The model prints what it asked.
  toString = () => 'ask'
}

class AtOnce implements Command {
  readonly #plans: readonly Plan[]
  readonly #inTurns: boolean
  constructor(plans: readonly Plan[], inTurns: boolean) {
    this.#plans = plans
    this.#inTurns = inTurns
  }
  check = () => true
  run = (_: object, model: Model) => model.askAtOnce(this.#plans, this.#inTurns)
  toString = () => `ask ${this.#plans.length} at once`
}

export interface Theme {
  name: string
  /** What each run begins with */
  first: readonly Plan[]
  commands: readonly fc.Arbitrary<Command>[]
}

const ada = { email: 'ada@example.com', name: 'Ada', password: 'secret1' }

function themeOf(name: string, first: readonly Plan[], plans: Plans, still: Plans = []): Theme {
  const one = fc.oneof(...plans, ...still, ...clockPlans, ...eventPlans)
  const together = fc
    .tuple(fc.array(fc.oneof(...plans), { minLength: 1, maxLength: 3 }), fc.boolean())
    .map(([some, inTurns]) => new AtOnce(some, inTurns))
  const single = one.map((plan) => new One(plan))
  return { name, first, commands: [single, single, together] }
}

/** Each theme has a few rules that meet, so that short runs get far. */
export const themes: readonly Theme[] = [
  themeOf('users, and requests with a key', [], [...userPlans, ...idempotencyPlans]),
  themeOf(
    'sessions and refresh tokens',
    [createUser(ada)],
    [...userPlans, ...sessionPlans, ...refreshTokenPlans],
  ),
  themeOf(
    'second factors',
    [createUser(ada), enrol(0), confirm(0, -1), signIn(ada.email, ada.password)],
    [...userPlans, ...sessionPlans],
    factorPlans.map(({ weight, arbitrary }) => ({ weight: 3 * weight, arbitrary })),
  ),
]
