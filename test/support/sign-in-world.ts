import { randomUUID } from 'node:crypto'
import type { Clientele, ClienteleOptions, ClientUser, Mail, SignedIn } from '@clientele/core'
import { Secret, TOTP } from 'otpauth'
import { expect, onTestFinished } from 'vitest'
import { openClientele } from '../keys/open-clientele.ts'
import { logIn } from './log-in.ts'

export interface Credentials {
  email: string
  password: string
}

export interface AddedUser {
  accountId: string
  user: ClientUser
  credentials: Credentials
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
    const mailed = async (kind: Mail['kind'], index = 0): Promise<string> => {
      const ofKind = () => mails.filter((mail) => mail.kind === kind)
      await expect.poll(() => ofKind().length).toBeGreaterThan(index)
      const mail = ofKind()[index]
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
  ): Promise<AddedUser> {
    const id = accountId ?? (await clientele.accounts.create({ name: accountName })).id
    const credentials = { email, password: 'password' }
    const { user } = await clientele.users.create(id, { name: 'Ada', ...credentials })
    return { accountId: id, user, credentials }
  }

  /** Adds a user who has signed in. */
  async signIn(clientele: Clientele): Promise<AddedUser & { signedIn: SignedIn }> {
    const added = await this.addUser(clientele)
    const signedIn = await logIn(clientele, added.accountId, added.credentials)
    return { ...added, signedIn }
  }

  /** Has a user prove its address by an e-mail token, through a process of its own. */
  async proveAddress(accountId: string, email: string): Promise<void> {
    const { clientele, mailed } = await this.start()
    await clientele.auth.requestEmailVerification(accountId, { email })
    await clientele.auth.verifyEmail(accountId, { token: await mailed('email_verification') })
    // What is issued from now on counts.
    this.now += 1_000
  }

  /** The code that an authenticator app shows this number of milliseconds from now. */
  totpCode(secret: string, fromNow = 0): string {
    const timestamp = this.now + fromNow
    return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp })
  }

  /** Enrols an app, whose next code is fresh; answers with what makes its codes. */
  async enrolTotp(
    clientele: Clientele,
    accountId: string,
    userId: string,
  ): Promise<{ generate: (fromNow?: number) => string; recoveryCodes: string[] }> {
    const { secret } = await clientele.mfa.enrolTotp(accountId, userId)
    const generate = (fromNow = 0) => this.totpCode(secret, fromNow)
    const recoveryCodes = await clientele.mfa.confirmTotp(accountId, userId, {
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
    if (!('challenge' in asked)) throw new Error('No MFA factor was asked for.')
    return asked.challenge
  }
}
