import { z } from 'zod'
import { ClienteleError } from '../base/errors.ts'
import { guardOptionsSchema } from '../base/input/call-options.ts'
import {
  aFunction,
  checkConfiguration,
  isPromise,
  objectWith,
} from '../base/input/configuration.ts'

const routesOptions = { clientAddress: aFunction().optional() }
const routesOptionsSchema = z.strictObject(routesOptions)
const prefixSchema = z.string().regex(/^(\/|$)/, { message: 'must begin with /' })
const prefixedOptions = { ...routesOptions, prefix: prefixSchema.optional() }
const prefixedOptionsSchema = z.strictObject(prefixedOptions)
const listenerOptionsSchema = z.strictObject({
  ...prefixedOptions,
  parsedBody: aFunction().optional(),
  logger: objectWith(['info', 'warn', 'error'], 'an object with info, warn and error').optional(),
})
const requireUserSchema = guardOptionsSchema
  .unwrap()
  .safeExtend({ token: aFunction().optional() })
  .default({})
const validatorSchema = objectWith(['validate'], 'a validator')

/**
 * For adapters: checks the arguments of `clienteleRoutes`, so that a mistake shows at the start.
 *
 * @throws ClienteleError `configuration_invalid`
 */
export function checkRoutesArguments(
  clientele: unknown,
  options: unknown,
  takesPrefix = false,
): void {
  checkClientele('clienteleRoutes', clientele)
  if (!takesPrefix && Object.hasOwn(Object(options), 'prefix'))
    throw new ClienteleError(
      'configuration_invalid',
      'options.prefix belongs to the framework: app.register(clienteleRoutes(clientele), { prefix }) in Fastify, app.use(prefix, clienteleRoutes(clientele)) in Express.',
    )
  checkConfiguration(takesPrefix ? prefixedOptionsSchema : routesOptionsSchema, options)
}

/**
 * For adapters: checks the arguments of `clienteleHandler`.
 *
 * @throws ClienteleError `configuration_invalid`
 */
export function checkHandlerArguments(clientele: unknown, options: unknown): void {
  checkClientele('clienteleHandler', clientele)
  checkConfiguration(prefixedOptionsSchema, options)
}

/**
 * Checks the arguments of `clienteleListener`.
 *
 * @throws ClienteleError `configuration_invalid`
 */
export function checkListenerArguments(clientele: unknown, options: unknown): void {
  checkClientele('clienteleListener', clientele)
  checkConfiguration(listenerOptionsSchema, options)
}

/**
 * Checks the arguments of `requireUser`, so that a misspelt option shows before the first request.
 *
 * @throws ClienteleError `configuration_invalid`
 */
export function checkGuardArguments(source: unknown, options: unknown): void {
  const isValidator = validatorSchema.safeParse(source).success
  if (!isValidator) checkClientele('requireUser', source, 'guard')
  const { roles } = checkConfiguration(requireUserSchema, options)
  if (!isValidator || roles === undefined) return
  throw new ClienteleError(
    'configuration_invalid',
    'options.roles needs a Clientele: roles are not in the token, and a validator knows only the token.',
  )
}

function checkClientele(
  caller: string,
  clientele: unknown,
  method: 'handle' | 'guard' = 'handle',
): void {
  if (typeof clientele === 'object' && clientele !== null && method in clientele) return
  throw new ClienteleError(
    'configuration_invalid',
    isPromise(clientele)
      ? `${caller} was given a promise: await createClientele(…) first.`
      : `${caller} takes what createClientele resolves to: write ${caller}(clientele).`,
  )
}
