import type { Mail } from '@clientele/core'
import { expect } from 'vitest'
import { invalid, noContent, problem } from '../support/answers.ts'
import type { World } from '../support/world.ts'
import { absentId, type Case, flow, row } from './case.ts'

const auth = '/client/user/auth'
const post = (path: string, json: unknown) => ({ method: 'POST', path, json })
const confirming = (token: string) => post(`${auth}/email/change/confirm`, { token })
const undoing = (token: string) => post(`${auth}/email/change/undo`, { token })
const changing = (id: string, email: string) => post(`/client/user/${id}/email/change`, { email })
const email = 'ada@new.example'

/** A user asks for another address at another process of the same database, which can send mail. */
async function change(world: World) {
  const { combination, account } = world
  const mails: Mail[] = []
  const sendMail = async (mail: Mail) => void mails.push(mail)
  const asked = await combination.openAnother({ sendMail })
  try {
    const user = await world.createUser()
    await asked.users.requestEmailChange(account.id, user.id, { email })
    await expect.poll(() => mails.length).toBe(2)
    const [token = '', undoToken = ''] = ['email_change', 'email_change_notice'].map((kind) => {
      const mail = mails.find((each) => each.kind === kind)
      return mail !== undefined && 'token' in mail ? mail.token : ''
    })
    return { ...user, token, undoToken }
  } finally {
    await asked.close()
  }
}

export const emailChangeCases: readonly Case[] = [
  flow(
    'the new address confirms a change once, and the former one takes it back',
    async (world) => {
      const { id, email: former, token, undoToken } = await change(world)
      const { key } = await world.otherTenant()
      await world.check({ ...confirming(token), key }, problem('email_change_invalid'))
      await world.check({ ...undoing(undoToken), key }, problem('email_change_invalid'))
      await world.check(confirming(undoToken), problem('email_change_invalid'))
      await world.check(confirming(token), noContent)
      await world.check(confirming(token), problem('email_change_invalid'))
      const read = async () => JSON.parse((await world.send({ path: `/client/user/${id}` })).body)
      expect((await read()).email).toBe(email)
      await world.check(undoing(undoToken), noContent)
      await world.check(undoing(undoToken), problem('email_change_invalid'))
      expect((await read()).email).toBe(former)
    },
  ),
  flow('the former address cancels a change before it is confirmed', async (world) => {
    const { token, undoToken } = await change(world)
    await world.check(undoing(undoToken), noContent)
    await world.check(confirming(token), problem('email_change_invalid'))
  }),
  flow('an address that another user has by now is refused', async (world) => {
    const { token } = await change(world)
    await world.clientele.users.create(world.account.id, {
      ...{ name: 'Eve', email, password: 'password' },
    })
    await world.check(confirming(token), problem('email_taken'))
  }),
  flow('without a way to send mail, nothing is asked', async (world) => {
    const { id } = await world.createUser()
    await world.check(changing(id, email), problem('mail_unavailable'))
  }),
  row('change: nobody', changing(absentId, email), problem('user_not_found')),
  row(
    'change: every rule at once',
    post(`/client/user/${absentId}/email/change`, { email: 'x', locale: 'not a tag', name: 'Ada' }),
    invalid(
      ['/email', 'format', 'must be an e-mail address'],
      ['/locale', 'format', 'must be a language tag (BCP 47), for instance pt-BR'],
      ['/name', 'unrecognized', 'is not known here'],
    ),
  ),
  row(
    'confirm: no token',
    post(`${auth}/email/change/confirm`, {}),
    invalid(['/token', 'required', 'is required']),
  ),
  row(
    'undo: no token',
    post(`${auth}/email/change/undo`, {}),
    invalid(['/token', 'required', 'is required']),
  ),
]
