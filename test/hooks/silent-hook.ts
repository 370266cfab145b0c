// A process with nothing but a user to create, of whom a hook never lets go: node silent-hook.ts
// It says on standard output which error the call has.

import { createClientele } from '@clientele/core'
import { sqlite } from '@clientele/core/sqlite'

const clientele = await createClientele({
  repository: sqlite({ filename: ':memory:' }),
  secrets: ['a secret of a process with a silent hook'],
  hooks: { beforeCreate: () => new Promise<void>(() => {}) },
})
const { id } = await clientele.accounts.create({ name: 'Silent' })
const newUser = { name: 'Ada', email: 'ada@example.com', password: 'password' }
const { code } = await clientele.users.create(id, newUser).then(
  () => ({ code: 'created' }),
  (error: unknown) => Object(error),
)
console.log(code)
