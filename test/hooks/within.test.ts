import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClientele, HookRefusal } from '@clientele/core'
import { sqlite } from '@clientele/core/sqlite'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { codeOf } from '../keys/open-clientele.ts'

test('a call in a transaction of the host asks no hook, and does not act without it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'clientele-hooks-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const filename = join(folder, 'users.sqlite')
  let asked = 0
  const clientele = await createClientele({
    repository: sqlite({ filename }),
    hooks: {
      beforeCreate: () => {
        asked++
        throw new HookRefusal('No.')
      },
    },
  })
  onTestFinished(() => clientele.close())
  const { id } = await clientele.accounts.create({ name: 'Acme' })
  const connection = new Database(filename)
  onTestFinished(() => void connection.close())
  connection.exec('begin')
  const within = clientele.within(connection)
  const created = within.users.create(id, {
    name: 'Ada',
    email: 'ada@example.com',
    password: 'password',
  })
  expect(await codeOf(created)).toBe('hook_in_transaction')
  // What asks no hook goes on.
  expect((await within.users.list(id)).total).toBe(0)
  connection.exec('commit')
  expect(asked).toBe(0)
})
