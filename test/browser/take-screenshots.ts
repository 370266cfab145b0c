// Takes the pictures of the console that its README shows: node run.mjs screenshots.

import { mkdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { consoleRoutes } from '@clientele/console'
import { createClientele } from '@clientele/core'
import { openRepository } from '@clientele/core/database-url'
import { clienteleListener } from '@clientele/core/node'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { fillAccount } from '../console/lively-account.ts'
import { openBrowser } from './open-browser.ts'

const folder = join(import.meta.dirname, '../../packages/console/screenshots')
const wide = { width: 1280, height: 800 }
const phone = { width: 390, height: 844 }

let isFilled = false
const end = Date.now()
const clock = { now: end - 61 * 86_400_000 }
const clientele = await createClientele({
  repository: await openRepository('sqlite::memory:'),
  clock: () => (isFilled ? Date.now() : clock.now),
})
const { id: accountId } = await clientele.accounts.create({ name: 'Acme' })
await clientele.accounts.create({ name: 'Globex' })
await clientele.accounts.create({ name: 'Initech' })
await clientele.apiKeys.create(accountId, { name: 'Backend' })
await clientele.apiKeys.create(accountId, {
  name: 'Reports',
  scopes: ['users:read', 'events:read'],
})
clock.now = end
const { userId } = await fillAccount(clientele, accountId, clock)
isFilled = true
await clientele.signingKeys.rotate(accountId)
const issuer = { issuer: 'https://login.example.com', audience: ['https://api.example.com'] }
await clientele.trustedIssuers.create(accountId, {
  ...{ ...issuer, algorithms: ['HS256'] },
  sharedSecret: 'a secret that both sides know, 32 bytes long',
})
await clientele.webhooks.create(accountId, { url: 'https://example.com/webhooks', types: ['*'] })

const server = createServer(clienteleListener(consoleRoutes(clientele), { prefix: '/api/v1' }))
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const address = server.address()
const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/api/v1/client/console/`

const screens: [name: string, hash: string, options?: BrowserContextOptions][] = [
  ['accounts', '#/'],
  ['overview', `#/a/${accountId}/overview`],
  ['overview-dark', `#/a/${accountId}/overview`, { colorScheme: 'dark' }],
  ['users', `#/a/${accountId}/users`],
  ['users-phone', `#/a/${accountId}/users`, { viewport: phone, colorScheme: 'dark' }],
  ['user', `#/a/${accountId}/users/${userId}`],
  ['events', `#/a/${accountId}/events`],
  ['webhooks', `#/a/${accountId}/webhooks`],
  ['transfer', `#/a/${accountId}/transfer`],
  ['reference', `#/a/${accountId}/reference`],
  ['keys', `#/a/${accountId}/keys`],
  ['issuers', `#/a/${accountId}/issuers`],
  ['signing-keys', `#/a/${accountId}/signing-keys`],
  ['settings', `#/a/${accountId}/settings`],
]

async function takeAll(browser: Browser): Promise<void> {
  await mkdir(folder, { recursive: true })
  const { token } = await clientele.console.createLink()
  const first = await browser.newContext({ viewport: wide })
  const page = await first.newPage()
  await page.goto(url)
  await page.getByRole('main').waitFor()
  await page.screenshot({ path: join(folder, 'sign-in.png') })
  await page.goto(`${url}?#link=${token}`)
  await page.getByRole('table').waitFor()
  const storageState = await first.storageState()
  for (const [name, hash, options] of screens) {
    const context = await browser.newContext({ viewport: wide, storageState, ...options })
    const shown = await context.newPage()
    await shown.goto(`${url}${hash}`)
    await shown.getByRole('heading', { level: 1 }).waitFor()
    await shown.waitForFunction('!document.querySelector(".loading, [aria-busy=true]")')
    await shown.screenshot({ path: join(folder, `${name}.png`) })
    await context.close()
  }
}

const browser = await openBrowser()
try {
  if (browser !== undefined) await takeAll(browser)
} finally {
  await browser?.close()
  server.closeAllConnections()
  server.close()
  await clientele.close()
}
