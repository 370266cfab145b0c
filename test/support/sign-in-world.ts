import { randomUUID } from 'node:crypto'
import type { Clientele, ClienteleOptions, ClientUser, Mail } from '@clientele/core'
import { Secret, TOTP } from 'otpauth'
import { expect, onTestFinished } from 'vitest'
import { openClientele } from '../keys/open-clientele.ts'

export interface Credentials {
  email: string
  password: string
}

/** Users who sign in on a database, under a clock that stands until it is moved. */
export class SignInWorld {
  readonly #url: () => string
  now = Date.now()

  constructor(url: () => string) {
    this.#url = url
  }

  /** Starts a process, and keeps what it mails. */
  async start(options: Partial<ClienteleOptions> = {}) {
    const mails: Mail[] = []
    const sendMail = async (mail: Mail): Promise<void> => {
      mails.push(mail)
    }
    const all = { clock: () => this.now, sendMail, ...options }
    const clientele = await openClientele(this.#url(), all)
    onTestFinished(() => clientele.close())
    const mailed = async (kind: Mail['kind']): Promise<string> => {
      await expect.poll(() => mails.map((mail) => mail.kind)).toContain(kind)
      const mail = mails.find((each) => each.kind === kind)
      if (mail === undefined) throw new Error('No mail.')
      return 'token' in mail ? mail.token : mail.code
    }
    return { clientele, mails, mailed }
  }

  async addUser(
    clientele: Clientele,
    {
      accountName = 'Acme',
      email = `${randomUUID()}@example.com`,
      accountId,
    }: { accountName?: string; email?: string; accountId?: string } = {},
  ): Promise<{ accountId: string; user: ClientUser; credentials: Credentials }> {
    const id = accountId ?? (await clientele.accounts.create({ name: accountName })).id
    const credentials = { email, password: 'password' }
    const { user } = await clientele.users.create(id, { name: 'Ada', ...credentials })
    return { accountId: id, user, credentials }
  }

  /** Enrols an app, whose next code is fresh; answers with what makes its codes. */
  async enrolTotp(
    clientele: Clientele,
    accountId: string,
    userId: string,
  ): Promise<{ generate: () => string; recoveryCodes: string[] }> {
    const { secret } = await clientele.twoFactor.enrolTotp(accountId, userId)
    const generate = () =>
      new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: this.now })
    const recoveryCodes = await clientele.twoFactor.confirmTotp(accountId, userId, {
      code: generate(),
    })
    this.now += 30_000
    return { generate, recoveryCodes }
  }

  async challengeOf(
    clientele: Clientele,
    accountId: string,
    credentials: Credentials,
  ): Promise<string> {
    const asked = await clientele.auth.logIn(accountId, credentials)
    return 'challenge' in asked ? asked.challenge : 'none'
  }
}
