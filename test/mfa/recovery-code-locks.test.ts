import { expect, test } from 'vitest'
import { useRowLocks } from '../support/row-locks.ts'
import { SignInWorld } from '../support/sign-in-world.ts'
import { toSignedIn } from '../support/to-signed-in.ts'

const locks = useRowLocks()
const world = new SignInWorld(() => locks.url)

// A first proof of the address deletes codes and challenges in another order: without the user's lock, the two would lock
// each other out for the second that PostgreSQL needs to see it.
test('a recovery code is used after the user’s lock is free', async () => {
  const { clientele } = await world.start()
  const { accountId, user, credentials } = await world.addUser(clientele)
  const { recoveryCodes } = await world.enrolTotp(clientele, accountId, user.id)
  const challenge = await world.challengeOf(clientele, accountId, credentials)
  const [code = ''] = recoveryCodes
  const holder = await locks.begin()
  await holder.query('select 1 from clientele_users where id = $1 for update', [user.id])
  const signedIn = clientele.auth.completeMfa(accountId, {
    ...{ challenge, method: 'recovery_code', code },
  })
  await locks.untilWaiting('')
  const { rowCount } = await holder.query(
    'select 1 from clientele_recovery_codes where user_id = $1',
    [user.id],
  )
  expect(rowCount).toBe(recoveryCodes.length)
  await holder.query('select 1 from clientele_challenges for update nowait')
  await holder.query('commit')
  expect(toSignedIn(await signedIn).user.id).toBe(user.id)
})
