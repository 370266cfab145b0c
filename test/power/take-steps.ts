import type { Clientele } from '@clientele/core'
import type { Step } from './check-state.ts'

/** A user is created, changed, signs in, and every second one is deleted. */
export async function* takeSteps(
  clientele: Clientele,
  accountId: string,
  turns: number,
): AsyncGenerator<Step> {
  for (let turn = 0; turn < turns; turn++) {
    let count = 0
    const call = () => ({ accountId, requestId: `${turn}-${++count}` })
    const credentials = { email: `ada${turn}@example.com`, password: 'correct horse' }
    const created = call()
    const { user, version } = await clientele.users.create(created, { name: 'Ada', ...credentials })
    const userId = user.id
    yield { id: created.requestId, userId, version }
    const patched = call()
    const roles = ['admin', `role${turn}`]
    const afterwards = await clientele.users.patch(patched, userId, { name: 'Ada Byron', roles })
    yield { id: patched.requestId, userId, version: afterwards.version }
    const loggedIn = call()
    await clientele.auth.logIn(loggedIn, credentials)
    yield { id: loggedIn.requestId, userId, version: afterwards.version }
    if (turn % 2 === 1) continue
    const deleted = call()
    await clientele.users.delete(deleted, userId)
    yield { id: deleted.requestId, userId, version: undefined }
  }
}
