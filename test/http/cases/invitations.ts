import type { Mail } from '@clientele/core'
import { expect } from 'vitest'
import { invalid, noContent, plain, problem } from '../support/answers.ts'
import type { World } from '../support/world.ts'
import { absentId, ada, type Case, flow, newAda, row } from './case.ts'

const auth = '/client/user/auth'
const accepting = `${auth}/invitation/accept`
const post = (path: string, json: unknown) => ({ method: 'POST', path, json })
const signedIn = plain(/^\{"success_code":200,"data":\{"token":.*\},"user":\{"id":.*\}\}$/)
const password = 'chosen by herself'
const noTag = ['/locale', 'format', 'must be a language tag (BCP 47), for instance pt-BR'] as const

/** Invites Ada from another process of the same database, which can send mail. */
async function invite({ combination, account }: World): Promise<{ id: string; token: string }> {
  const mails: Mail[] = []
  const sendMail = async (mail: Mail) => void mails.push(mail)
  const inviter = await combination.openAnother({ sendMail })
  try {
    const { user } = await inviter.users.invite(account.id, ada)
    await expect.poll(() => mails.length).toBe(1)
    const [mail] = mails
    if (mail?.kind !== 'invitation') throw new Error('No invitation was mailed.')
    return { id: user.id, token: mail.token }
  } finally {
    await inviter.close()
  }
}

export const invitationCases: readonly Case[] = [
  flow('an invitation is accepted once, by its token, and the user signs in', async (world) => {
    const { id, token } = await invite(world)
    const invited = await world.send({ path: `/client/user/${id}` })
    expect(JSON.parse(invited.body)).toMatchObject({ ...ada, is_active: true })
    const credentials = { email: ada.email, password }
    await world.check(post(`${auth}/login`, credentials), problem('credentials_invalid'))
    const { key } = await world.otherTenant()
    const accept = post(accepting, { token, password })
    await world.check({ ...accept, key }, problem('invitation_invalid'))
    await world.check(post(accepting, { token }), invalid(['/password', 'required', 'is required']))
    await world.check(accept, noContent)
    await world.check(accept, problem('invitation_invalid'))
    await world.check(post(`${auth}/login`, credentials), signedIn)
    const verified = await world.send({ path: `/client/user/${id}/email/verification` })
    expect(JSON.parse(verified.body).email_verified_at).not.toBeNull()
  }),
  flow('an account may have users without a password accept without one', async (world) => {
    const { id, token } = await invite(world)
    const { accounts } = world.clientele
    await accounts.setPolicy(world.account.id, { passwordRequired: false })
    await world.check(post(accepting, { token }), noContent)
    await world.check(post(accepting, { token, password }), problem('invitation_invalid'))
    const verified = await world.send({ path: `/client/user/${id}/email/verification` })
    expect(JSON.parse(verified.body).email_verified_at).not.toBeNull()
  }),
  flow('without a way to send mail, nobody is created or invited', async (world) => {
    await world.check(post('/client/user/invite', ada), problem('mail_unavailable'))
    await world.check({}, plain('{"data":[],"page":1,"limit":10,"total":0}', noUsers(world)))
    const { id } = await world.createUser()
    await world.check(post(`/client/user/${id}/invite`, {}), problem('mail_unavailable'))
  }),
  row(
    'invite: every rule at once',
    post('/client/user/invite', {
      email: 'x',
      roles: 'admin',
      locale: 'not a tag',
      is_active: true,
    }),
    invalid(
      ['/email', 'format', 'must be an e-mail address'],
      ['/name', 'required', 'is required'],
      ['/roles', 'type', 'must be an array'],
      [...noTag],
      ['/is_active', 'unrecognized', 'is not known here'],
    ),
  ),
  row(
    'invite: a password is not the inviter’s to choose',
    post('/client/user/invite', newAda),
    invalid(['/password', 'unrecognized', 'is not known here']),
  ),
  row(
    'invite again: nobody',
    post(`/client/user/${absentId}/invite`, {}),
    problem('user_not_found'),
  ),
  row(
    'invite again: a language that is none',
    post(`/client/user/${absentId}/invite`, { locale: 'a' }),
    invalid([...noTag]),
  ),
  row(
    'accept: an unknown token',
    post(accepting, { token: 'x', password }),
    problem('invitation_invalid'),
  ),
  row(
    'accept: a password against the rules',
    post(accepting, { token: 'x', password: 'short' }),
    invalid(['/password', 'too_short', 'must have at least 6 characters']),
  ),
]

function noUsers({ prefix }: World): Record<string, string> {
  const page = `<${prefix}/client/user?limit=10&page=1>`
  return { link: `${page}; rel="first", ${page}; rel="last"` }
}
