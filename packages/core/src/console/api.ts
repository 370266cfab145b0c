import { type ConsoleLink, createLink } from './create-link.ts'
import type { ConsoleServices } from './services.ts'

/**
 * The console: a page for those who run Clientele and for those whose users it keeps. The package `@clientele/console`
 * has the page.
 *
 * @example
 * const { path } = await clientele.console.createLink()
 * console.log(`https://api.example.com/api/v1${path}`)
 */
export interface ConsoleApi {
  /**
   * Makes a link that opens an operator's session, of every account: once, and within ten minutes. Give it to nobody who
   * may not do everything.
   *
   * @throws ClienteleError `storage_unavailable`
   */
  createLink(): Promise<ConsoleLink>
}

export function createConsoleApi(services: ConsoleServices): { console: ConsoleApi } {
  return { console: { createLink: () => createLink(services) } }
}
