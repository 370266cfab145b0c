import type { Clientele, Mail } from '@clientele/core'
import { expect } from 'vitest'
import { IssuerWorld } from '../support/issuer-world.ts'

type CodeMail = Extract<Mail, { kind: 'sign_in_code' }>

export const byCode = ['password', 'passkey', 'id_token', 'email_code'] as const

/** Users of accounts that let them sign in by mailed codes. */
export class SignInCodeWorld extends IssuerWorld {
  async open({
    now = Date.now(),
    ...options
  }: Parameters<IssuerWorld['start']>[0] & { now?: number } = {}) {
    this.now = now
    const started = await this.start(options)
    const added = await this.addUser(started.clientele)
    const { accountId } = added
    await started.clientele.accounts.setPolicy(accountId, { signIn: [...byCode] })
    const codes = () =>
      started.mails.filter((mail): mail is CodeMail => mail.kind === 'sign_in_code')
    /** Asks for a code, and waits for its mail. */
    const ask = async (email = added.user.email) => {
      const before = codes().length
      const { challenge } = await started.clientele.auth.mailSignInCode(accountId, { email })
      await expect.poll(() => codes().length).toBe(before + 1)
      const mail = codes().at(-1)
      if (mail === undefined) throw new Error('No mail.')
      return { challenge, code: mail.code, token: mail.token, mail }
    }
    return { ...started, ...added, codes, ask }
  }
}

/** A code that is not this one. */
export function otherThan(code: string): string {
  return code === '00000000' ? '11111111' : '00000000'
}

/** The types of an account's events, with their actors. */
export async function typesOf(clientele: Clientele, accountId: string): Promise<string[]> {
  const { data } = await clientele.events.read(accountId, {
    types: ['user.logged_in', 'user.login_failed', 'user.email_verified', 'two_factor.*'],
  })
  return data.map(({ type, actor }) => `${type} by ${actor.type}`)
}
