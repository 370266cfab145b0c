import { z } from 'zod'
import { aFunction, checkConfiguration } from '../../base/input/configuration.ts'
import { makeAbsent } from './absent-object.ts'
import {
  compareParts,
  type Difference,
  findDifferences,
  findValues,
  type Parts,
  readParts,
} from './answer-parts.ts'
import {
  changesState,
  credentialsOf,
  namesOf,
  type TestedRoute,
  toRequest,
  type Values,
} from './tested-route.ts'
import { Witness } from './witness.ts'

/** A tenant whose objects no other tenant may see. */
export interface Tenant {
  /** It is sent as `Authorization: Bearer <API key>` */
  apiKey?: string
  /** Further headers of its requests, such as a cookie or a token */
  headers?: Record<string, string>
  /** Its objects, by the names in the routes: `{ order_id: 'order-17', customer_email: 'ada@example.com' }` */
  objects: Record<string, string>
}

export interface TenantLeakOptions {
  /** The URL of the application. @default 'http://localhost', for a `fetch` of your own */
  baseUrl?: string
  /** Sends a request; with `app.request` of Hono and others you need no server. @default the global fetch */
  fetch?: (request: Request) => Response | Promise<Response>
  /** Two or more; each tries the objects of the others */
  tenants: readonly Tenant[]
  /** Your routes, and those of `listClienteleRoutes` */
  routes: readonly TestedRoute[]
  /** Values that exist nowhere, by an object's name. @default generated, in the form of the objects */
  absent?: Record<string, string>
}

/** A response, or a change, that reveals another tenant's object. */
export interface TenantLeak extends Difference {
  method: string
  path: string
  /** The names of the other tenant's objects */
  object: string
}

export interface TenantReport {
  leaks: TenantLeak[]
  /** How many requests contained another tenant's objects, or might have shown them */
  tried: number
  /** Routes without a result, and why */
  notTried: { method: string; path: string; why: string }[]
}

const tenantSchema = z.strictObject({
  apiKey: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  objects: z.record(z.string(), z.string()),
})
const routeSchema = z.strictObject({
  method: z.string(),
  path: z.string().startsWith('/'),
  query: z.record(z.string(), z.string()).optional(),
  body: z.unknown().optional(),
  isForm: z.boolean().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  changes: z.boolean().optional(),
  isPublic: z.boolean().optional(),
})
const optionsSchema = z.strictObject({
  baseUrl: z.url().optional(),
  fetch: aFunction().optional(),
  tenants: z.array(tenantSchema).min(2),
  routes: z.array(routeSchema).min(1),
  absent: z.record(z.string(), z.string()).optional(),
})

/**
 * Sends requests of each tenant with objects of each other tenant to every route, and compares the responses with those
 * for objects that do not exist: status, header fields and body must be equal, except for parts that always differ.
 * Everything that the owner can read must stay unchanged. It writes: use data that you can lose.
 *
 * @returns the leaks, if any, and the routes that could not be tried
 * @throws ClienteleError `configuration_invalid` for a wrong option
 *
 * @example
 * import { createTestClientele, findTenantLeaks, listClienteleRoutes } from '@clientele/core/testing'
 *
 * const { clientele, createTenant } = await createTestClientele()
 * const tenants = [await createTenant({ order_id: 'order-1' }), await createTenant({ order_id: 'order-2' })]
 * const routes = [{ method: 'GET', path: '/orders/{order_id}' }, ...(await listClienteleRoutes(clientele, '/api/v1'))]
 * const { leaks, notTried } = await findTenantLeaks({ baseUrl: 'http://127.0.0.1:3000', tenants, routes })
 */
export async function findTenantLeaks(options: TenantLeakOptions): Promise<TenantReport> {
  checkConfiguration(optionsSchema, options, 'findTenantLeaks({ baseUrl, tenants, routes })')
  return new TenantProbe(options).run()
}

class TenantProbe {
  readonly #options: TenantLeakOptions
  readonly #report: TenantReport = { leaks: [], tried: 0, notTried: [] }
  readonly #skipped = new Set<TestedRoute>()

  constructor(options: TenantLeakOptions) {
    this.#options = options
  }

  async run(): Promise<TenantReport> {
    const { routes } = this.#options
    const tryable = routes.filter((route) => this.#isTryable(route))
    const reads = tryable.filter((route) => !changesState(route))
    for (const route of reads)
      await this.#eachPair((one, other) => this.#tryRead(route, one, other))
    // Routes with few names first: those with several may change the sender's own objects.
    const counts = [...new Set(tryable.map((route) => namesOf(route).length))].toSorted()
    for (const count of counts) {
      const writes = tryable.filter(
        (route) => changesState(route) && namesOf(route).length === count,
      )
      await this.#eachPair(async (sender, owner) => {
        const witness = await Witness.create(reads, (route) =>
          this.#ask(route, owner, owner.objects),
        )
        for (const route of writes) await this.#tryWrite(route, sender, owner, witness)
      })
    }
    return this.#report
  }

  async #eachPair(attempt: (sender: Tenant, owner: Tenant) => Promise<void>): Promise<void> {
    for (const sender of this.#options.tenants) {
      for (const owner of this.#options.tenants) if (owner !== sender) await attempt(sender, owner)
    }
  }

  #isTryable(route: TestedRoute): boolean {
    const names = namesOf(route)
    const missing = [...names, ...credentialsOf(route)].filter((name) =>
      this.#options.tenants.some(({ objects }) => objects[name] === undefined),
    )
    if (route.isPublic === true) this.#skip(route, 'it is public')
    else if (missing.length > 0) this.#skip(route, `no object was given for ${missing.join(', ')}`)
    else if (names.length === 0 && changesState(route)) this.#skip(route, 'it names no object')
    else if (names.length > 0 && names.every((name) => this.#isShared(name)))
      this.#skip(route, `it names only what all tenants have: ${names.join(', ')}`)
    return !this.#skipped.has(route)
  }

  #isShared(name: string): boolean {
    const values = new Set(this.#options.tenants.map(({ objects }) => objects[name]))
    return values.size === 1
  }

  #skip(route: TestedRoute, why: string): void {
    if (this.#skipped.has(route)) return
    this.#skipped.add(route)
    this.#report.notTried.push({ method: route.method, path: route.path, why })
  }

  async #tryRead(route: TestedRoute, sender: Tenant, owner: Tenant): Promise<void> {
    const own = await this.#ask(route, owner, owner.objects)
    const status = own.get('status') ?? ''
    if (!/^[23]/.test(status)) return this.#skip(route, `the owner is answered with ${status}, too`)
    if (namesOf(route).length > 0) return this.#tryObjects(route, sender, owner)
    this.#report.tried++
    this.#findForeignValues(route, await this.#ask(route, sender, {}), owner, sender.objects)
  }

  async #tryWrite(
    route: TestedRoute,
    sender: Tenant,
    owner: Tenant,
    witness: Witness,
  ): Promise<void> {
    await this.#tryObjects(route, sender, owner, async (object) => {
      const changed = await witness.findChanges()
      if (changed !== undefined) this.#tell(route, object, changed)
    })
  }

  /** Tries each of the owner's objects among the sender's, and all of them together. */
  async #tryObjects(
    route: TestedRoute,
    sender: Tenant,
    owner: Tenant,
    after?: (object: string) => Promise<void>,
  ): Promise<void> {
    const names = namesOf(route).filter((name) => sender.objects[name] !== owner.objects[name])
    const choices = names.length > 1 ? [...names.map((name) => [name]), names] : [names]
    for (const foreign of choices.filter((choice) => choice.length > 0)) {
      const absent = [this.#makeAbsent(foreign, owner), this.#makeAbsent(foreign, owner)]
      const same = foreign.find((name) => absent.some((made) => made[name] === owner.objects[name]))
      if (same !== undefined) {
        this.#skip(route, `no value like ${same} can be made up: pass one as absent.${same}`)
        continue
      }
      const [first, second] = [
        await this.#ask(route, sender, { ...sender.objects, ...absent[0] }),
        await this.#ask(route, sender, { ...sender.objects, ...absent[1] }),
      ]
      const statuses = [first, second].map((parts) => parts.get('status') ?? '')
      const sent = { ...sender.objects, ...pick(owner.objects, foreign) }
      const got = await this.#ask(route, sender, sent)
      const object = foreign.join(', ')
      if (statuses[0] !== statuses[1] || /^(429|5)/.test(statuses[0] ?? '')) {
        this.#skip(
          route,
          `objects that are not there are answered with ${statuses.join(', then ')}`,
        )
      } else {
        this.#report.tried++
        const unsteady = new Set(findDifferences(first, second))
        const difference = compareParts(second, got, unsteady)
        if (difference !== undefined) this.#tell(route, object, difference)
        else this.#findForeignValues(route, got, owner, sent)
      }
      await after?.(object)
    }
  }

  /** Reports values in a response that only the owner has and that were not in the request. */
  #findForeignValues(route: TestedRoute, got: Parts, owner: Tenant, known: Values): void {
    const values = new Set(Object.values(known))
    for (const [name, value] of Object.entries(owner.objects)) {
      if (values.has(value)) continue
      const found = findValues(got, { [name]: value })
      if (found.length === 0) continue
      const shown = Object.fromEntries(found.map((part) => [part, got.get(part) ?? '']))
      this.#tell(route, name, { expected: {}, got: shown })
    }
  }

  #makeAbsent(names: readonly string[], owner: Tenant): Record<string, string> {
    const { absent = {} } = this.#options
    const make = (name: string): string => absent[name] ?? makeAbsent(owner.objects[name] ?? '')
    return Object.fromEntries(names.map((name) => [name, make(name)]))
  }

  async #ask(
    route: TestedRoute,
    { apiKey, headers, objects }: Tenant,
    values: Values,
  ): Promise<Parts> {
    const { baseUrl = 'http://localhost' } = this.#options
    const key = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }
    const request = toRequest(baseUrl, route, values, { headers: { ...key, ...headers }, objects })
    const answer = await this.#send(request, route)
    return readParts(answer, pick(values, namesOf(route)))
  }

  async #send(request: Request, { method, path }: TestedRoute): Promise<Response> {
    const { fetch } = this.#options
    if (fetch !== undefined) return fetch(request)
    try {
      return await globalThis.fetch(request)
    } catch (cause) {
      // `fetch failed` names neither the server nor the reason.
      const reason = Object(Object(cause).cause).code ?? cause
      throw new Error(
        `${method} ${path} has no answer of ${new URL(request.url).origin}: ${reason}.`,
        { cause },
      )
    }
  }

  #tell({ method, path }: TestedRoute, object: string, difference: Difference): void {
    this.#report.leaks.push({ method, path, object, ...difference })
  }
}

function pick(values: Values, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, values[name] ?? '']))
}
