import { runsEveryTest } from '../../support/slow-tests.ts'
import { bare } from './bare.ts'
import { express4Target, express5 } from './express.ts'
import { fastify5 } from './fastify.ts'
import { bareFetch } from './fetch.ts'
import { hono4 } from './hono.ts'
import { koa2, koa3 } from './koa.ts'
import type { Target } from './target.ts'

export const targets: readonly Target[] = [
  bare,
  express5,
  express4Target,
  fastify5,
  koa3,
  koa2,
  bareFetch,
  hono4,
]

/** They mount the same functions as their successors: by default they are tried on what a host's router and parser decide. */
export const olderMajors: readonly Target[] = [express4Target, koa2]

/**
 * The servers that are tried on a database. By default the core is tried on both, and each framework on one of them: the
 * frameworks know nothing of the database. `.ci/run` tries all on both.
 */
export function targetsOn(database: { name: string }): readonly Target[] {
  if (runsEveryTest) return targets
  const isSqlite = database.name === 'sqlite'
  return targets.filter((target, index) => target === bare || (index % 2 === 0) === isSqlite)
}
