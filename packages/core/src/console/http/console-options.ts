import { z } from 'zod'
import { aFunction, checkConfiguration } from '../../base/input/configuration.ts'
import type { HttpHeaders } from '../../http/message.ts'

/** A request to the console, as the host's `authorize` sees it. */
export interface ConsoleRequest {
  method: string
  /** Path and query as sent, including the path that the console is mounted under */
  url: string
  /** By lower-case name */
  headers: HttpHeaders
  /** Only if the host has passed it to the adapter */
  clientAddress: string | undefined
}

/** An operator: a person who may do everything in every account. */
export interface ConsoleOperator {
  /** The name that the page shows: 1 to 100 characters */
  name: string
}

export interface ConsoleOptions {
  /** Reads a file of the page, `index.html` or `assets/main.js`; undefined: no such file */
  readFile: (name: string) => Promise<string | undefined>
  /**
   * Recognises operators, for instance by the session of your own back office. It is called for every request without a
   * session of the console. An error that it throws is logged and answered with 500.
   *
   * @default operators need a link that works once
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
