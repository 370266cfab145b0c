// Compiled, never run: what a user's code may say, and what the compiler must refuse.

import { type Clientele, ClienteleError, type ClientUser, createClientele } from '@clientele/core'
import { postgres } from '@clientele/core/postgres'
import { sqlite } from '@clientele/core/sqlite'
import { requireUser as requireExpressUser } from '@clientele/express'
import Sqlite from 'better-sqlite3'
import express from 'express'
import { Pool } from 'pg'

export async function mayCompile(accountId: string): Promise<ClientUser> {
  const clientele: Clientele = await createClientele({
    repository: sqlite({ filename: ':memory:', lockTimeoutSeconds: 1 }),
    tokenTtlSeconds: 60,
    signingAlgorithm: 'ES256',
  })
  // A pool of pg's own is one of ours.
  postgres({ pool: new Pool(), schema: 'app', preparedStatements: false })
  // Nor is a connection of better-sqlite3's own anything else.
  sqlite({ database: new Sqlite(':memory:') })
  const stop = clientele.events.on('user.logged_in', ({ user, amr }) => [user.email, amr.length])
  stop()
  const input = { name: 'Ada', email: 'ada@example.com', password: 'secret' }
  const { user, version } = await clientele.users.create(accountId, input)
  await clientele.users.replace(accountId, user.id, { ...input, roles: [] }, { ifVersion: version })
  await clientele.users.patch(accountId, user.id, { metadata: { plan: null } })
  const list = await clientele.users.list(accountId, { sort: '-name', isActive: true, limit: 5 })
  const key = await clientele.apiKeys.authenticate('cu_live_…', { scope: 'users:read' })
  await clientele.users.find({ accountId: key.accountId, actor: key.actor }, user.id)
  express().get('/me', requireExpressUser(clientele), (request, response) => {
    response.json({ id: request.clientUser?.id })
  })
  return list.data[0] ?? user
}

export async function mustNotCompile(clientele: Clientele, accountId: string): Promise<void> {
  // @ts-expect-error a repository is needed
  await createClientele({})
  // @ts-expect-error `none` is no algorithm
  await createClientele({ repository: sqlite({ filename: 'x' }), signingAlgorithm: 'none' })
  // @ts-expect-error either a connection string or a pool
  postgres({})
  // @ts-expect-error a file name or a connection
  sqlite({})
  // @ts-expect-error a password is needed on creation
  await clientele.users.create(accountId, { name: 'Ada', email: 'ada@example.com' })
  // @ts-expect-error there is no such order
  await clientele.users.list(accountId, { sort: 'age' })
  // @ts-expect-error there is no such kind of actor
  await clientele.users.list({ accountId, actor: { type: 'robot', id: null } })
  // @ts-expect-error a call names its account
  await clientele.users.list({ requestId: 'req-1' })
  // @ts-expect-error there is no such scope
  await clientele.apiKeys.authenticate('cu_live_…', { scope: 'users:delete' })
  // @ts-expect-error there is no such event
  clientele.events.on('user.renamed', () => {})
  const { user } = await clientele.users.find(accountId, 'id')
  // @ts-expect-error a user has no password, and no hash
  user.password
  // @ts-expect-error metadata are JSON
  await clientele.users.patch(accountId, user.id, { metadata: { when: new Date() } })
  // @ts-expect-error there is no such code
  new ClienteleError('user_missing')
}
