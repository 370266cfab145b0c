import { expect, test } from 'vitest'
import { codeOf } from '../keys/open-clientele.ts'
import { useRowLocks } from '../support/row-locks.ts'
import { SignInWorld } from '../support/sign-in-world.ts'

const locks = useRowLocks()
const world = new SignInWorld(() => locks.url)

test('a sign-in that waits for its user while the policy changes opens no session', async () => {
  const { clientele } = await world.start()
  const { accountId, user, credentials } = await world.addUser(clientele)
  const holder = await locks.begin()
  await holder.query('select 1 from clientele_users where id = $1 for update', [user.id])
  const signedIn = codeOf(clientele.auth.logIn(accountId, credentials))
  await locks.untilWaiting('with "changed" as (insert into "clientele_sessions"')
  await clientele.accounts.setPolicy(accountId, { signIn: ['passkey'] })
  await holder.query('commit')
  expect(await signedIn).toBe('sign_in_method_disabled')
  expect(await clientele.sessions.list(accountId, user.id)).toEqual([])
})
