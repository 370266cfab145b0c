import { z } from 'zod'
import { aFunction, checkConfiguration } from '../../base/input/configuration.ts'
import type { HttpHeaders } from '../../http/message.ts'

/** A request to the console, as the host is asked about it. */
export interface ConsoleRequest {
  method: string
  /** Path and query as they were sent, what the console is mounted under included */
  url: string
  /** By their names in lower case */
  headers: HttpHeaders
  /** Only where the host has told the adapter */
  clientAddress: string | undefined
}

/** Somebody who may do everything, in every account. */
export interface ConsoleOperator {
  /** What the page calls them: 1 to 100 characters */
  name: string
}

export interface ConsoleOptions {
  /** Reads a file of the page, `index.html` or `assets/main.js`; undefined: there is none of this name */
  readFile: (name: string) => Promise<string | undefined>
  /**
   * Says whether a request comes from an operator: by the session of your own back office, for instance. It is asked for
   * every request that has no session of the console. What it throws is logged, and answered with 500.
   *
   * @default only a link that works once opens an operator's session
   */
  authorize?: (
    request: ConsoleRequest,
  ) => ConsoleOperator | undefined | Promise<ConsoleOperator | undefined>
}

const optionsSchema = z.strictObject({ readFile: aFunction(), authorize: aFunction().optional() })

/** @throws ClienteleError `configuration_invalid` */
export function checkConsoleOptions(options: ConsoleOptions): void {
  checkConfiguration(optionsSchema, options, 'console.routes({ readFile })')
}
