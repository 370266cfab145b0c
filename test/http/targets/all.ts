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
