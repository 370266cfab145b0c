import { z } from 'zod'
import { ClienteleError } from '../errors.ts'
import { guardOptionsSchema } from '../input/call-options.ts'
import { aFunction, checkConfiguration } from '../input/configuration.ts'

const routesOptions = { clientAddress: aFunction().optional() }
const routesOptionsSchema = z.strictObject(routesOptions)
const prefixedOptionsSchema = z.strictObject({ ...routesOptions, prefix: z.string().optional() })

/**
 * For adapters: checks what `clienteleRoutes` is called with, so that a mistake shows at the start.
 *
 * @throws ClienteleError `configuration_invalid`
 */
export function checkRoutesArguments(
  clientele: unknown,
  options: unknown,
  takesPrefix = false,
): void {
  checkClientele('clienteleRoutes', clientele)
  checkConfiguration(takesPrefix ? prefixedOptionsSchema : routesOptionsSchema, options)
}

/**
 * For adapters: checks what `requireUser` is called with; a misspelt option would be found by the first caller.
 *
 * @throws ClienteleError `configuration_invalid`
 */
export function checkGuardArguments(clientele: unknown, options: unknown): void {
  checkClientele('requireUser', clientele)
  checkConfiguration(guardOptionsSchema, options)
}

function checkClientele(caller: string, clientele: unknown): void {
  const isObject = typeof clientele === 'object' && clientele !== null
  if (isObject && 'handle' in clientele && 'guard' in clientele) return
  const isPromise = isObject && 'then' in clientele
  throw new ClienteleError(
    'configuration_invalid',
    isPromise
      ? `${caller} was given a promise: await createClientele(…) first.`
      : `${caller} takes what createClientele resolves to: write ${caller}(clientele).`,
  )
}
