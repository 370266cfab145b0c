import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import fastify from 'fastify'
import Koa from 'koa'
import { type Blanks, readBlocks, runBlock } from './paste-block.ts'

export interface StartedVerifier {
  check(token: string): Promise<'accepted' | 'refused'>
  close(): Promise<void>
}

export type Change = readonly [from: string, to: string]

export interface Verifier {
  /** The heading of its block in the guide */
  name: string
  /** Leaves every option at its default, where it lets `iss` and `aud` be left out */
  defaults: readonly Change[]
  /** What the block needs to be tried on plain HTTP */
  plainHttp?: readonly Change[]
  /** What it cannot, by name */
  cannot: readonly ('tokenType JWT' | 'keep a removed key' | 'forget a removed key')[]
  host: 'function' | 'express' | 'fastify' | 'koa'
}

const named = ['{ issuer, audience }', '{}'] as const

export const verifiers: readonly Verifier[] = [
  { name: 'jose', defaults: [named], cannot: [], host: 'function' },
  { name: 'jsonwebtoken and jwks-rsa', defaults: [named], cannot: [], host: 'function' },
  {
    name: 'fast-jwt and get-jwks',
    defaults: [[', allowedIss: issuer, allowedAud: audience', '']],
    // Where a key is no longer found, get-jwks gives out the one that it had.
    cannot: ['forget a removed key'],
    host: 'function',
  },
  {
    name: '@fastify/jwt and get-jwks',
    defaults: [[', verify: { allowedIss: issuer, allowedAud: audience }', '']],
    cannot: ['forget a removed key'],
    host: 'fastify',
  },
  {
    name: 'express-oauth2-jwt-bearer',
    // It does not start without an audience.
    defaults: [[', strict: true', '']],
    // `strict` is RFC 9068.
    cannot: ['tokenType JWT'],
    host: 'express',
  },
  {
    name: 'passport-jwt and jwks-rsa',
    defaults: [[', issuer, audience', '']],
    cannot: [],
    host: 'express',
  },
  {
    name: 'koa-jwt and jwks-rsa',
    defaults: [[', issuer, audience', '']],
    cannot: [],
    host: 'koa',
  },
  {
    name: 'openid-client',
    defaults: [],
    plainHttp: [
      ['import { ', 'import { allowInsecureRequests, '],
      [
        'ClientSecretBasic(apiKey))',
        'ClientSecretBasic(apiKey), { execute: [allowInsecureRequests] })',
      ],
    ],
    // It asks us each time.
    cannot: ['keep a removed key'],
    host: 'function',
  },
]

/** Starts a verifier as the guide has it: on a server of its framework, or as a function. */
export async function startVerifier(
  verifier: Verifier,
  blanks: Omit<Blanks, 'app'>,
  changes: readonly Change[] = [],
): Promise<StartedVerifier> {
  const block = (await readBlocks()).get(verifier.name)
  if (block === undefined) throw new Error(`The guide has no block for ${verifier.name}.`)
  const all = [...(verifier.plainHttp ?? []), ...changes]
  const paste = (app?: unknown) => runBlock(block, { ...blanks, app }, all)
  if (verifier.host === 'function') {
    const verify = await paste()
    if (verify === undefined) throw new Error(`${verifier.name} makes no function.`)
    const check = (token: string) =>
      verify(token).then(
        () => 'accepted' as const,
        () => 'refused' as const,
      )
    return { check, close: async () => {} }
  }
  const { origin, close } = await hosts[verifier.host](paste)
  return {
    check: async (token) => {
      const response = await fetch(origin, { headers: { authorization: `Bearer ${token}` } })
      const body = await response.text()
      if (response.status === 200 && body === 'the host') return 'accepted'
      if (response.status === 401) return 'refused'
      throw new Error(`${verifier.name} answers with ${response.status}: ${body}`)
    },
    close,
  }
}

interface StartedHost {
  origin: string
  close(): Promise<void>
}

const hosts = {
  express: async (paste: (app: unknown) => Promise<unknown>): Promise<StartedHost> => {
    const app = express()
    await paste(app)
    app.use((_req, res) => void res.end('the host'))
    app.use(
      ((error, _req, res, _next) =>
        void res
          .status(error.status ?? 500)
          .end(String(error))) satisfies express.ErrorRequestHandler,
    )
    return listen(app)
  },
  koa: async (paste: (app: unknown) => Promise<unknown>): Promise<StartedHost> => {
    const app = new Koa()
    app.silent = true
    await paste(app)
    app.use((ctx) => {
      ctx.body = 'the host'
    })
    return listen(app.callback())
  },
  fastify: async (paste: (app: unknown) => Promise<unknown>): Promise<StartedHost> => {
    const app = fastify({ forceCloseConnections: true })
    await paste(app)
    app.get('/', () => 'the host')
    return { origin: await app.listen({ port: 0, host: '127.0.0.1' }), close: () => app.close() }
  },
}

async function listen(handler: Parameters<typeof createServer>[1]): Promise<StartedHost> {
  const server = createServer(handler ?? (() => {}))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens on a port
  return {
    origin: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
