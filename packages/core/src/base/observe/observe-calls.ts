import { z } from 'zod'
import { nameError } from './name-error.ts'
import type { Observation, Observed } from './observation.ts'
import type { CallEvent } from './observer.ts'

type Method = (...input: unknown[]) => unknown
type Outcome<T> = { value: T } | { error: unknown }

/** A method that does not return a promise, so that its end cannot be observed. */
const withoutEnd = new Set([
  'events.on',
  'events.tail',
  'events.export',
  'users.export',
  'signingKeys.rotateAll',
])

/** Wraps the methods, so that each call is observed. */
export function observeMethods<Groups extends object>(
  groups: Groups,
  observation: Observation | undefined,
  prefix = '',
): Groups {
  if (observation?.call === undefined && observation?.aroundCall === undefined) return groups
  const observed = Object.entries(groups).map(([group, methods]) => [
    group,
    Object.fromEntries(
      Object.entries<Method>(methods).map(([method, call]) => {
        const name = `${group}.${method}`
        if (withoutEnd.has(name)) return [method, call]
        const about = `${prefix}${name}`
        return [
          method,
          (...input: unknown[]) =>
            observeCall(observation, { name: about, accountId: readAccountId(input[0]) }, () =>
              call(...input),
            ),
        ]
      }),
    ),
  ])
  return Object.fromEntries(observed) as Groups // the same names and methods
}

/** Reports a call to the observers. `codeOfResult` returns the problem's code when a result is a problem. */
export async function observeCall<T>(
  { call, aroundCall }: Observation,
  about: Pick<CallEvent, 'name' | 'accountId'>,
  run: () => T | Promise<T>,
  codeOfResult: (result: T) => string | undefined = () => undefined,
): Promise<T> {
  const startedAt = performance.now()
  const work = async (): Promise<Observed<CallEvent, Outcome<T>>> => {
    const value = await settle(run)
    const code = 'error' in value ? nameError(value.error) : codeOfResult(value.value)
    return {
      event: { ...about, code, startedAt, durationMs: performance.now() - startedAt },
      value,
    }
  }
  const { event, value } =
    aroundCall === undefined ? await work() : await aroundCall(about.name, work)
  call?.(event)
  if ('error' in value) throw value.error
  return value.value
}

async function settle<T>(run: () => T | Promise<T>): Promise<Outcome<T>> {
  try {
    return { value: await run() }
  } catch (error) {
    return { error }
  }
}

/** The account id of a call. Other first arguments, such as a secret, are never repeated. */
function readAccountId(input: unknown): string | undefined {
  const id = typeof input === 'object' && input !== null ? Reflect.get(input, 'accountId') : input
  return typeof id === 'string' && z.regexes.guid.test(id) ? id.toLowerCase() : undefined
}
