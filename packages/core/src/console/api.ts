import { type ConsoleLink, createLink } from './create-link.ts'
import type { ConsoleServices } from './services.ts'

/**
 * The console: a web page for the operators of Clientele and for its customers, who each see their own account. The
 * package `@clientele/console` contains the page.
 *
 * @example
 * const { path } = await clientele.console.createLink()
 * console.log(`https://api.example.com/api/v1${path}`)
 */
export interface ConsoleApi {
  /**
   * Creates a link that opens an operator's session for all accounts. It works once, within ten minutes. Give it only
   * to operators: its holder may do everything.
   *
   * @throws ClienteleError `storage_unavailable`
   */
  createLink(): Promise<ConsoleLink>
}

export function createConsoleApi(services: ConsoleServices): { console: ConsoleApi } {
  return { console: { createLink: () => createLink(services) } }
}
