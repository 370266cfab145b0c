import { once } from 'node:events'
import { createServer } from 'node:http'
import { consoleRoutes } from '@clientele/console'
import type { Clientele, Mail } from '@clientele/core'
import { clienteleListener } from '@clientele/core/node'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { english } from '../../packages/console/src/page/english.ts'
import { openPage } from '../browser/open-page.ts'
import { openClientele } from '../keys/open-clientele.ts'
import { openDatabase } from '../support/databases.ts'
import { insertUsers } from '../support/run-sql.ts'

const prefix = '/any/prefix/v1'

/** For `expect.poll`, on a machine that has other things to do */
export const patience = { timeout: 20_000 }

/** A console, served by `node:http`, and browsers that look at it. */
export interface ConsoleSite {
  clientele: Clientele
  databaseUrl: string
  /** Acme: the account that has the users */
  accountId: string
  /** Opens a screen, that of all accounts unless it is named, as an operator who has signed in by a link. */
  openAsOperator(hash?: string, options?: BrowserContextOptions): Promise<Page>
  /** Signs an account in, by an API key that is made for it. */
  openAsAccount(): Promise<{ page: Page; keyId: string }>
  /** The address of a screen, behind `#` */
  hashOf(screen: string): string
  /** The console's own address */
  url: string
  /** What was mailed to users */
  mails: readonly Mail[]
  close(): Promise<void>
}

export async function startConsoleSite(
  browser: Browser | undefined,
  userCount: number,
  options?: Parameters<typeof consoleRoutes>[1],
): Promise<ConsoleSite> {
  const database = await openDatabase('sqlite')
  const mails: Mail[] = []
  const clientele = await openClientele(database.url, {
    webhooks: { deliver: true, allowPrivateAddresses: true },
    sendMail: async (mail) => void mails.push(mail),
  })
  const { id: accountId } = await clientele.accounts.create({ name: 'Acme' })
  await insertUsers(database.url, accountId, userCount)
  await clientele.accounts.recount(accountId)
  const server = createServer()
  const routes = clienteleListener(clientele, { prefix })
  const page = clienteleListener(consoleRoutes(clientele, options), { prefix })
  server.on('request', (req, res) => page(req, res, () => routes(req, res)))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  const url = `http://127.0.0.1:${port}${prefix}/client/console/`
  const hashOf = (screen: string): string => `#/a/${accountId}/${screen}`

  async function open(address: string, options?: BrowserContextOptions): Promise<Page> {
    if (browser === undefined) throw new Error('No browser.')
    return openPage(browser, address, { acceptDownloads: true, ...options })
  }

  let signedIn: BrowserContextOptions['storageState']

  return {
    ...{ clientele, databaseUrl: database.url, accountId, hashOf, url, mails },
    openAsOperator: async (hash = '#/', options = {}) => {
      if (signedIn !== undefined) {
        return open(`${url}${hash}`, { storageState: signedIn, ...options })
      }
      const { token } = await clientele.console.createLink()
      const opened = await open(`${url}#link=${token}`, options)
      await opened.getByRole('heading', { name: english.accounts.title, level: 1 }).waitFor()
      signedIn = await opened.context().storageState()
      if (hash !== '#/') await opened.goto(`${url}${hash}`)
      return opened
    },
    openAsAccount: async () => {
      const { id: keyId, apiKey } = await clientele.apiKeys.create(accountId)
      const opened = await open(url)
      await opened.getByLabel(english.signIn.field).fill(apiKey)
      await opened.getByRole('button', { name: english.signIn.button }).click()
      await opened.getByRole('navigation').waitFor()
      return { page: opened, keyId }
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await clientele.close()
      await database.close()
    },
  }
}

export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
export const heading = (page: Page, name: string) =>
  page.getByRole('heading', { name, exact: true })
export const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })
