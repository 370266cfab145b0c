// node servers/deliverer.ts <database URL> <events a second>: writes this number of events to all accounts in turn, and
// delivers
import { createClientele } from '@clientele/core'
import { benchSecret, openRepository } from '../support/clientele.ts'

const [url = '', rate = '0'] = process.argv.slice(2)
const clientele = await createClientele({
  repository: openRepository(url),
  secrets: [benchSecret],
  passwords: { hashing: { memoryKiB: 8, passes: 1 } },
  webhooks: { deliver: true, allowPrivateAddresses: true },
})
const accounts = await clientele.accounts.list()
const password = 'secret password'
let count = 0

/** What happens in an account, one after the other: each event is of another type. */
async function* live(accountId: string): AsyncGenerator<void, never> {
  for (;;) {
    const email = `user${count++}@example.com`
    const { user } = await clientele.users.create(accountId, { name: 'Ada', email, password })
    yield
    await clientele.users.patch(accountId, user.id, { name: 'Grace' })
    yield
    await clientele.auth.logIn(accountId, { email, password })
    yield
    await clientele.users.deactivate(accountId, user.id)
    yield
    await clientele.users.activate(accountId, user.id)
    yield
    await clientele.users.delete(accountId, user.id)
    yield
    const { id: keyId } = await clientele.apiKeys.create(accountId)
    yield
    const rotated = await clientele.apiKeys.rotate(accountId, keyId)
    yield
    await clientele.apiKeys.revoke(accountId, rotated.id)
    yield
    await clientele.accounts.rename(accountId, { name: `Account ${count}` })
    yield
  }
}

const lives = accounts.map(({ id }) => live(id))
console.log('ready')
const startedAt = performance.now()
let begun = 0
setInterval(() => {
  const due = ((performance.now() - startedAt) / 1000) * Number(rate)
  for (; begun < due; begun++) void lives[begun % lives.length]?.next()
}, 5)
process.on('SIGTERM', () => process.exit(0))
