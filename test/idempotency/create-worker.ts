// A process of its own that creates users, each with a key of its own, until it is killed:
// node create-worker.ts loop|die <url> <accountId>. Each key is a line on standard output before its request, and once
// more with the answer. `die` kills itself when its first user is committed, before the response.

import { createClientele } from '@clientele/core'
import { cheapHashing, LogRecorder, openRepository } from '../keys/open-clientele.ts'
import { personOf, secrets } from './world.ts'

const [task, url = '', accountId = ''] = process.argv.slice(2)
const repository = openRepository(url)
const { create } = repository.users
if (task === 'die') {
  repository.users.create = async (...values) => {
    await create(...values)
    process.kill(process.pid, 'SIGKILL')
    return new Promise(() => {})
  }
}
const clientele = await createClientele({
  repository,
  secrets,
  passwords: { hashing: cheapHashing },
  logger: new LogRecorder(),
})
for (let index = 0; ; index++) {
  const idempotencyKey = `${process.pid}-${index}`
  console.log(JSON.stringify({ key: idempotencyKey }))
  const answer = await clientele.users.create(
    { accountId, idempotencyKey },
    personOf(idempotencyKey),
  )
  console.log(JSON.stringify({ key: idempotencyKey, answer }))
}
