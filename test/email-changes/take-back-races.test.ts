import { expect, test } from 'vitest'
import { codeOf } from '../keys/open-clientele.ts'
import { useRowLocks } from '../support/row-locks.ts'
import { SignInWorld } from '../support/sign-in-world.ts'

const locks = useRowLocks()
const world = new SignInWorld(() => locks.url)

// SQLite has one writer: there, one of the two comes first.
test('a stranger who changes an expired password while the address is taken back gets no session', async () => {
  const { clientele, mailed } = await world.start()
  const { clientele: other } = await world.start()
  const { accountId, user, credentials } = await world.addUser(clientele)
  const { auth, users, sessions } = clientele
  // The stranger knows the password, and has changed the address.
  const email = `stranger-${user.email}`
  await users.requestEmailChange(accountId, user.id, { email })
  const undo = { token: await mailed('email_change_notice') }
  await auth.confirmEmailChange(accountId, { token: await mailed('email_change') })
  world.now += 1_000
  await users.expirePassword(accountId, user.id)
  world.now += 1_000
  const asked = await auth.logIn(accountId, { ...credentials, email })
  if (!('challenge' in asked)) throw new Error('The password has not expired.')
  world.now += 1_000
  const holder = await locks.begin()
  await holder.query('select 1 from clientele_users where id = $1 for update', [user.id])
  const undone = auth.undoEmailChange(accountId, undo)
  await locks.untilWaiting('')
  const password = 'of the stranger'
  const answer = { challenge: asked.challenge, password }
  const changed = codeOf(other.auth.changeExpiredPassword(accountId, answer))
  await expect
    .poll(async () => {
      const waiting = await holder.query(
        "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      )
      return waiting.rowCount
    })
    .toBe(2)
  await holder.query('commit')
  await undone
  expect(await changed).toBe('challenge_invalid')
  expect(await sessions.list(accountId, user.id)).toEqual([])
  const typed = { email: user.email, password }
  expect(await codeOf(auth.logIn(accountId, typed))).toBe('credentials_invalid')
})
