import { createTestClientele, findTenantLeaks, listClienteleRoutes } from '@clientele/core/testing'
import { expect, onTestFinished, test } from 'vitest'
import { targets } from '../http/targets/all.ts'
import { LogRecorder } from '../keys/open-clientele.ts'

async function open() {
  const world = await createTestClientele({ logger: new LogRecorder() })
  onTestFinished(world.close)
  return world
}

test.each(targets.filter(({ name }) => !/ [24]$/.test(name)))(
  'our own routes tell a tenant nothing of another: $name',
  { timeout: 120_000 },
  async (target) => {
    const { clientele, createTenant } = await open()
    const { origin, prefix, close } = await target.start(clientele, 'prefix')
    onTestFinished(close)
    const routes = await listClienteleRoutes(clientele, prefix)
    const a=performance.now()
    const { leaks, tried, notTried } = await findTenantLeaks({
      baseUrl: origin,
      tenants: [await createTenant(), await createTenant()],
      routes: [
        ...routes,
        { method: 'GET', path: '/me', headers: { authorization: 'Bearer {token}' } },
      ],
    })
    console.log(target.name, tried, notTried, performance.now()-a)
    expect(leaks).toEqual([])
  },
)
