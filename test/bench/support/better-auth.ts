import { createServer } from 'node:http'
import { apiKey } from '@better-auth/api-key'
import { betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { toNodeHandler } from 'better-auth/node'
import { bearer } from 'better-auth/plugins'
import Sqlite from 'better-sqlite3'
import pg from 'pg'

const limit = { enabled: true, timeWindow: 1000, maxRequests: 1_000_000_000 }

/**
 * better-auth with an API key for the caller and a bearer session for the user: the same two questions. The key's limit of requests is on,
 * as it is by default, and so high that it never refuses.
 */
export async function openBetterAuth(url: string) {
  const database = url.startsWith('postgres')
    ? new pg.Pool({ connectionString: url, max: 10 })
    : new Sqlite(url.replace('sqlite:', ''))
  if (database instanceof Sqlite) database.pragma('journal_mode = WAL')
  const auth = betterAuth({
    database,
    secret: 'a secret of the benchmark of thirty-two characters',
    baseURL: 'http://127.0.0.1',
    emailAndPassword: { enabled: true },
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: { disabled: true },
    plugins: [apiKey({ rateLimit: limit }), bearer()],
  })
  return { auth, options: auth.options }
}

export interface BetterAuthSeed {
  apiKey: string
  tokens: string[]
}

export async function seedBetterAuth(
  url: string,
  users: { email: string; name: string }[],
): Promise<BetterAuthSeed> {
  const { auth, options } = await openBetterAuth(url)
  const { runMigrations } = await getMigrations(options)
  await runMigrations()
  const tokens: string[] = []
  let ownerId = ''
  for (const user of users) {
    const { token, user: created } = await auth.api.signUpEmail({
      body: { ...user, password: 'secret password' },
    })
    ownerId ||= created.id
    if (token) tokens.push(token)
  }
  const created = await auth.api.createApiKey({ body: { userId: ownerId } })
  return { apiKey: created.key, tokens }
}

/** Serves the same question as our validation route: is the caller's key good, and whose is this token? */
export async function serveBetterAuth(url: string): Promise<string> {
  const { auth } = await openBetterAuth(url)
  const own = toNodeHandler(auth)
  const server = createServer(async (request, response) => {
    if (request.url !== '/client/user/auth/validation-token') return own(request, response)
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { token } = JSON.parse(Buffer.concat(chunks).toString())
    const key = String(request.headers.authorization ?? '').replace('Bearer ', '')
    const { valid } = await auth.api.verifyApiKey({ body: { key } })
    const session = valid
      ? await auth.api.getSession({ headers: new Headers({ authorization: token }) })
      : null
    response.writeHead(session ? 200 : 401, { 'content-type': 'application/json' })
    response.end(
      JSON.stringify(
        session ? { isValid: true, success_code: 200, user: session.user } : { isValid: false },
      ),
    )
  })
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(`http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`)
    })
  })
}
