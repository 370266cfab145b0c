import { compareParts, type Difference, findDifferences, type Parts } from './answer-parts.ts'
import type { TestedRoute } from './tested-route.ts'

/** Reads one object of a tenant, as the tenant itself. */
export type ReadOwn = (route: TestedRoute) => Promise<Parts>

/** A tenant's view of its own objects, which other tenants must not be able to change. */
export class Witness {
  readonly #routes: readonly TestedRoute[]
  readonly #readOwn: ReadOwn
  /** The parts that differ between any two reads */
  readonly #unsteady: ReadonlySet<string>
  #seen: Parts

  private constructor(
    routes: readonly TestedRoute[],
    readOwn: ReadOwn,
    [first, second]: [Parts, Parts],
  ) {
    this.#routes = routes
    this.#readOwn = readOwn
    this.#unsteady = new Set(findDifferences(first, second))
    this.#seen = second
  }

  static async create(routes: readonly TestedRoute[], readOwn: ReadOwn): Promise<Witness> {
    const first = await look(routes, readOwn)
    return new Witness(routes, readOwn, [first, await look(routes, readOwn)])
  }

  /** The changes since the last check; undefined: none. */
  async findChanges(): Promise<Difference | undefined> {
    const [before, now] = [this.#seen, await look(this.#routes, this.#readOwn)]
    this.#seen = now
    return compareParts(before, now, this.#unsteady)
  }
}

async function look(routes: readonly TestedRoute[], readOwn: ReadOwn): Promise<Parts> {
  const all = await Promise.all(
    routes.map(async (route) => {
      const parts = await readOwn(route)
      const place = `${route.method} ${route.path}`
      return [...parts].map(([name, value]) => [`${place} ${name}`, value] as const)
    }),
  )
  return new Map(all.flat())
}
