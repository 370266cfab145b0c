// Compiled by itself, never run: what the types say once a host has registered its own schemas.

import { type Clientele, createClientele } from '@clientele/core'
import { sqlite } from '@clientele/core/sqlite'
import { createTestClientele } from '@clientele/core/testing'
import { requireUser } from '@clientele/express'
import express from 'express'
import { z } from 'zod'

const metadata = z.object({
  plan: z.enum(['free', 'pro']),
  seats: z.int().default(1),
  address: z.object({ city: z.string() }).optional(),
})
const roles = z.enum(['admin', 'member'])

declare module '@clientele/core' {
  interface Register {
    metadata: typeof metadata
    roles: typeof roles
  }
}

const ada = { name: 'Ada', email: 'ada@example.com', password: 'secret' }
const repository = sqlite({ filename: ':memory:' })

export async function mayCompile(accountId: string): Promise<'free' | 'pro'> {
  const clientele: Clientele = await createClientele({ repository, metadata, roles })
  const { user } = await clientele.users.create(accountId, {
    ...ada,
    roles: ['admin'],
    metadata: { plan: 'pro', seats: 2 },
  })
  await clientele.users.patch(accountId, user.id, { metadata: { address: { city: 'London' } } })
  await clientele.users.patch(accountId, user.id, { metadata: { address: null }, roles: null })
  const role: 'admin' | 'member' | undefined = user.roles[0]
  const city: string | undefined = user.metadata.address?.city
  express().get('/me', requireUser(clientele, { roles: ['admin'] }), (request, response) => {
    const seats: number | undefined = request.clientUser?.metadata.seats
    response.json({ role, city, seats })
  })
  clientele.events.on('user.logged_in', (event) => event.user.metadata.plan)
  await createTestClientele({ metadata, roles })
  return user.metadata.plan
}

export async function mustNotCompile(clientele: Clientele, accountId: string): Promise<void> {
  // @ts-expect-error what is registered is given
  await createClientele({ repository })
  // @ts-expect-error and it is the same
  await createClientele({ repository, metadata: z.object({ plan: z.number() }), roles })
  // @ts-expect-error users need metadata
  await clientele.users.create(accountId, ada)
  // @ts-expect-error there is no such plan
  await clientele.users.create(accountId, { ...ada, metadata: { plan: 'gold', seats: 1 } })
  // @ts-expect-error there is no such role
  await clientele.users.patch(accountId, 'id', { roles: ['owner'] })
  // @ts-expect-error there is no such member
  await clientele.users.patch(accountId, 'id', { metadata: { pian: 'pro' } })
  // @ts-expect-error there is no such role
  requireUser(clientele, { roles: ['amdin'] })
}
