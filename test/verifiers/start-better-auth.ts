import { betterAuth } from 'better-auth'
import { memoryAdapter } from 'better-auth/adapters/memory'
import { toNodeHandler } from 'better-auth/node'
import { jwt } from 'better-auth/plugins'
import { type ListeningServer, listen } from './start-oidc-provider.ts'

interface StoredUser {
  emailVerified: boolean
}

export interface StartedBetterAuth extends ListeningServer {
  /** Registers a user there; returns the cookie of the session. */
  signUp(email: string): Promise<string>
  /** The JWT that services which know no session are given */
  readToken(cookie: string): Promise<string>
  /** As if every user had followed the e-mailed link */
  verifyEmails(): void
}

/** Better Auth with its plugin `jwt`, with all options of the plugin at their default. */
export async function startBetterAuth(): Promise<StartedBetterAuth> {
  const rows = { user: [], session: [], account: [], verification: [], jwks: [] }
  const users = (): StoredUser[] => rows.user // what the adapter puts in the place of the empty list
  const server = await listen((baseURL) =>
    toNodeHandler(
      betterAuth({
        baseURL,
        secret: 'a secret of better-auth, 32 characters',
        database: memoryAdapter(rows),
        emailAndPassword: { enabled: true },
        plugins: [jwt()],
        telemetry: { enabled: false },
      }),
    ),
  )
  const { origin } = server
  return {
    ...server,
    signUp: async (email) => {
      const answer = await fetch(`${origin}/api/auth/sign-up/email`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin },
        body: JSON.stringify({ email, name: 'Ada', password: 'correct horse' }),
      })
      if (!answer.ok) throw new Error(`Not registered: ${answer.status} ${await answer.text()}`)
      return answer.headers
        .getSetCookie()
        .map((line) => line.split(';')[0])
        .join('; ')
    },
    readToken: async (cookie) => {
      const answer = await fetch(`${origin}/api/auth/token`, { headers: { cookie } })
      const { token } = (await answer.json()) as { token: string } // as its plugin documents
      return token
    },
    verifyEmails: () => {
      for (const user of users()) user.emailVerified = true
    },
  }
}
