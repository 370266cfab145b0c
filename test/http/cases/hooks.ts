import { problem } from '../support/answers.ts'
import { type Case, flow, newAda } from './case.ts'

const context = 'clientele-hook-context'

export const hookCases: readonly Case[] = [
  flow('hooks: what is sent along for them has one line of visible characters', async (world) => {
    const login = { method: 'POST', path: '/client/user/auth/login' }
    const json = { email: newAda.email, password: newAda.password }
    const send = (text: string) => ({ ...login, json, headers: [context, text] })
    const detail =
      'Send Clientele-Hook-Context as 1 to 4,096 visible characters of ASCII, or spaces between them.'
    for (const text of ['a\tb', 'x'.repeat(4_097)])
      await world.check(send(text), problem('header_invalid', { detail }))
    await world.check(send('captcha 1'), problem('credentials_invalid'))
  }),
]
