import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Clientele, ClienteleOptions } from '@clientele/core'
import { clienteleListener } from '@clientele/core/node'
import { openClientele } from '../keys/open-clientele.ts'
import { logIn } from '../support/log-in.ts'
import { type CachingProxy, startCachingProxy } from './caching-proxy.ts'
import { type Change, type StartedVerifier, startVerifier, verifiers } from './verifiers.ts'

const credentials = { email: 'ada@example.com', password: 'correct horse' }

export interface Tenant {
  accountId: string
  issuer: string
  apiKey: string
  signIn(): Promise<string>
}

/** A Clientele behind an HTTP cache */
export class VerifierWorld {
  readonly clientele: Clientele
  readonly proxy: CachingProxy
  readonly #server: Server
  readonly #started: StartedVerifier[] = []

  private constructor(clientele: Clientele, proxy: CachingProxy, server: Server) {
    this.clientele = clientele
    this.proxy = proxy
    this.#server = server
  }

  static async open(options: Partial<ClienteleOptions> = {}): Promise<VerifierWorld> {
    const proxy = await startCachingProxy()
    const publicUrl = `${proxy.origin}/api/v1`
    const clock = () => Date.now()
    const clientele = await openClientele('sqlite::memory:', { publicUrl, clock, ...options })
    const server = createServer(clienteleListener(clientele, { prefix: '/api/v1' }))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    proxy.upstream = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // it listens on a port
    return new VerifierWorld(clientele, proxy, server)
  }

  async addTenant(): Promise<Tenant> {
    const { clientele } = this
    const { id: accountId } = await clientele.accounts.create({ name: 'Acme' })
    await clientele.users.create(accountId, { name: 'Ada', ...credentials })
    const { apiKey } = await clientele.apiKeys.create(accountId, { scopes: ['tokens:validate'] })
    return {
      accountId,
      issuer: `${this.proxy.origin}/api/v1/client/account/${accountId}`,
      apiKey,
      signIn: async () => (await logIn(clientele, accountId, credentials)).token,
    }
  }

  /** Starts each verifier for an account. */
  async startAll(
    { accountId, issuer, apiKey }: Tenant,
    changesOf: (verifier: (typeof verifiers)[number]) => readonly Change[] = () => [],
  ) {
    const blanks = { issuer, audience: accountId, apiKey }
    return Promise.all(
      verifiers.map(async (verifier) => {
        const started = await startVerifier(verifier, blanks, changesOf(verifier))
        this.#started.push(started)
        return { ...verifier, check: started.check }
      }),
    )
  }

  async close(): Promise<void> {
    await Promise.all(this.#started.map((each) => each.close()))
    await this.proxy.close()
    this.clientele.stopWaiting()
    this.#server.close()
    this.#server.closeAllConnections()
    await this.clientele.close()
  }
}
