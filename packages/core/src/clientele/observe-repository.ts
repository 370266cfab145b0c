import { nameError } from '../base/observe/name-error.ts'
import type { Observation } from '../base/observe/observation.ts'
import type { Repository } from '../repository/repository.ts'
import type { Stores } from '../repository/stores.ts'

type Method = (...input: unknown[]) => unknown

/** Wraps a repository so that it reports each call, also in the host's transactions. */
export function observeRepository(
  repository: Repository,
  { query }: Pick<Observation, 'query'>,
): Repository {
  if (query === undefined) return repository
  const { storage, ...stores } = repository
  const { host } = storage
  return {
    ...observeStores(stores, query),
    storage: {
      ...storage,
      host: {
        ...host,
        join: () => {
          const joined = host.join()
          return { ...joined, stores: observeStores(joined.stores, query) }
        },
      },
    },
  }
}

function observeStores(stores: Stores, query: NonNullable<Observation['query']>): Stores {
  const observed = Object.entries(stores).map(([name, store]) => [
    name,
    Object.fromEntries(
      Object.entries<Method>(store).map(([method, ask]) => [
        method,
        observeMethod(`${name}.${method}`, ask, query),
      ]),
    ),
  ])
  return Object.fromEntries(observed) as Stores // the same names and methods
}

function observeMethod(
  name: string,
  ask: Method,
  query: NonNullable<Observation['query']>,
): Method {
  return (...input) => {
    const startedAt = performance.now()
    const answer = ask(...input)
    // A method that returns at once does not query the database.
    if (!(answer instanceof Promise)) return answer
    const tell = (error: string | undefined): void =>
      query({ name, error, startedAt, durationMs: performance.now() - startedAt })
    return answer.then(
      (value: unknown) => {
        tell(undefined)
        return value
      },
      (error: unknown) => {
        tell(nameError(error))
        throw error
      },
    )
  }
}
