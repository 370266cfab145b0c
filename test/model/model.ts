import { isDeepStrictEqual } from 'node:util'
import type fc from 'fast-check'
import type { Gate } from './gate.ts'
import type { Service } from './service.ts'
import { failedSignIn } from './sessions.ts'
import { type Answer, emptyState, type State } from './state.ts'
import type { Plan, Step } from './step.ts'

interface Done {
  step: Step
  answer: Answer
}

/**
 * Follows the service. What was asked at once may have happened in any order: there is a state for each order that the
 * answers allow, and later answers say which it was.
 */
export class Model {
  readonly service: Service
  readonly gate: Gate
  readonly scheduler: fc.Scheduler
  #states: State[]
  #steps = 0
  readonly #story: string[] = []

  constructor(service: Service, gate: Gate, scheduler: fc.Scheduler) {
    this.service = service
    this.gate = gate
    this.scheduler = scheduler
    this.#states = [emptyState(service.clock.now)]
  }

  /** One request, and no other beside it. */
  async ask(plan: Plan): Promise<void> {
    this.#tick()
    const step = plan(this.service, ++this.#steps)
    if (step === undefined) return
    const answer = await step.ask()
    this.#story.push(`${this.#steps}. ${print({ step, answer })}`)
    this.#follow([{ step, answer }])
  }

  /** Several clients ask at once. In turns: the scheduler decides on the order of their calls of stores. */
  async askAtOnce(plans: readonly Plan[], inTurns: boolean): Promise<void> {
    this.#tick()
    const steps = plans.flatMap((plan) => plan(this.service, ++this.#steps) ?? [])
    const asks = steps.map((step) => step.ask)
    const answers = await (inTurns
      ? this.gate.run(this.scheduler, asks)
      : Promise.all(asks.map((ask) => ask())))
    const done = steps.flatMap((step, index) => {
      const answer = answers[index]
      return answer === undefined ? [] : [{ step, answer: this.service.nameLater(answer) }]
    })
    const printed = done.map((each) => `\n     ${print(each)}`)
    this.#story.push(`${this.#steps - plans.length + 1}. at once:${printed.join('')}`)
    this.#follow(done)
  }

  /** What follows is later, if only by a millisecond. */
  #tick(): void {
    this.service.clock.now++
    for (const state of this.#states) state.now++
  }

  #follow(done: readonly Done[]): void {
    const [before] = this.#states
    const after = this.#states.flatMap((state) =>
      followInAnyOrder(state, done).flatMap((next) =>
        done.length > 1 ? withLateFailures(next, state.events.length) : [next],
      ),
    )
    if (after.length === 0 && before !== undefined) {
      const expected = done.map(({ step }) => JSON.stringify(step.expect(structuredClone(before))))
      throw new Error(
        `\n${this.#story.join('\n')}\n   The model expected ${expected.join(', and ')}${done.length > 1 ? ', or what another order gives' : ''}\n`,
      )
    }
    const distinct = new Map(after.map((state) => [JSON.stringify(state), state]))
    this.#states = [...distinct.values()]
  }
}

function followInAnyOrder(state: State, done: readonly Done[]): State[] {
  if (done.length === 0) return [state]
  return done.flatMap(({ step, answer }, index) => {
    const next = structuredClone(state)
    if (!isDeepStrictEqual(step.expect(next), answer)) return []
    return followInAnyOrder(next, done.toSpliced(index, 1))
  })
}

/** A failed sign-in changes nothing: what it has seen and its event are two moments, and others may come between. */
function withLateFailures(state: State, from: number): State[] {
  const added = state.events.slice(from)
  const others = added.filter((event) => event !== failedSignIn)
  let orders = [others]
  for (let left = added.length - others.length; left > 0; left--)
    orders = orders.flatMap((order) =>
      Array.from({ length: order.length + 1 }, (_, index) =>
        order.toSpliced(index, 0, failedSignIn),
      ),
    )
  const before = state.events.slice(0, from)
  return orders.map((order) => ({ ...state, events: [...before, ...order] }))
}

function print({ step, answer }: Done): string {
  const { status, ...rest } = answer
  if (status === 0) return step.words
  const more = Object.keys(rest).length === 0 ? '' : ` ${JSON.stringify(rest)}`
  return `${step.words}: ${status}${more}`
}
