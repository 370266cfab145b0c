import { z } from 'zod'
import { isSecret, secretRule } from '../base/crypto/is-secret.ts'
import { aFunction, anyOf, checkConfiguration, objectWith } from '../base/input/configuration.ts'
import { isPublicUrl } from '../base/input/public-url.ts'
import { findUrlProblem } from '../base/outbound/outbound-url.ts'
import { maxPasswordLength } from '../capabilities/passwords/password-policy.ts'
import { signingAlgorithms } from '../capabilities/signing-keys/signing-key.ts'
import { tokenTypes } from '../capabilities/tokens/access-tokens.ts'
import type { ClienteleOptions } from './clientele-options.ts'
import { outlivesTokens } from './event-retention.ts'

/** The longest delay of a Node timer */
const maxWindowSeconds = 2_147_483

const seconds = z.int().min(1)
const rateLimit = z.strictObject({
  points: z.int().min(1),
  windowSeconds: seconds.max(maxWindowSeconds),
})
const fieldSchema = () =>
  objectWith(
    ['~standard.validate', '~standard.jsonSchema.input', '~standard.jsonSchema.output'],
    'a schema of zod 4.2 or newer, or another that follows Standard Schema and Standard JSON Schema',
  )
const hookFunctions = z.strictObject({
  beforeCreate: aFunction().optional(),
  beforeUpdate: aFunction().optional(),
  beforeSignIn: aFunction().optional(),
  tokenClaims: aFunction().optional(),
})
const hookEndpoint = z.strictObject({
  url: z.string().refine((text) => findUrlProblem(text, true) === undefined, {
    message:
      'must be an http or https URL without credentials and not of a link-local, metadata or reserved address',
    params: { code: 'format' },
  }),
  secret: z
    .string()
    .regex(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/, 'must be whsec_ with 24 to 64 bytes in base64'),
})
const optionSchemas: Record<keyof ClienteleOptions, z.ZodType> = {
  repository: objectWith(
    ['storage.migrate', 'storage.ping', 'storage.close'],
    'sqlite(…) or postgres(…)',
  ),
  secrets: z
    .array(z.string().refine(isSecret, { message: secretRule, params: { code: 'format' } }))
    .optional(),
  lazyKeys: z.boolean().optional(),
  publicUrl: z
    .string()
    .refine(isPublicUrl, {
      message: 'must be an http or https URL without user, query and fragment',
      params: { code: 'format' },
    })
    .optional(),
  trustRequestIds: z.boolean().optional(),
  signingAlgorithm: z.enum(signingAlgorithms).optional(),
  tokenType: z.enum(tokenTypes).optional(),
  signingKeyPublishSeconds: z.int().min(0).optional(),
  signingKeyMaxAgeSeconds: seconds.min(3600).optional(),
  tokenTtlSeconds: seconds.optional(),
  sessionTtlSeconds: seconds.optional(),
  sessionMaxSeconds: seconds.optional(),
  refreshReuseSeconds: z.int().min(0).optional(),
  trustedIssuers: z.strictObject({ allowPrivateAddresses: z.boolean().optional() }).optional(),
  events: z
    .strictObject({ retentionDays: z.number().positive().max(36_500).optional() })
    .optional(),
  deleteExpired: z.boolean().optional(),
  audit: z.strictObject({ chain: z.boolean().optional() }).optional(),
  webhooks: z
    .strictObject({
      deliver: z.boolean().optional(),
      timeoutSeconds: z.number().positive().max(15).optional(),
      allowPrivateAddresses: z.boolean().optional(),
    })
    .optional(),
  passwords: z
    .strictObject({
      minLength: z.int().min(1).max(maxPasswordLength).optional(),
      isBreached: aFunction().optional(),
      hashing: z
        .strictObject({
          memoryKiB: z.int().min(8).optional(),
          passes: z.int().min(1).optional(),
          lanes: z.int().min(1).optional(),
          concurrency: z.int().min(1).optional(),
          queueLength: z.int().min(0).optional(),
        })
        .optional(),
    })
    .optional(),
  sendMail: aFunction().optional(),
  hooks: hookFunctions.optional(),
  rateLimits: z
    .strictObject({
      store: anyOf(
        [z.literal(['database', 'memory']), z.strictObject({ redis: objectWith([], '') })],
        "must be 'database', 'memory' or { redis: client }",
      ).optional(),
      login: rateLimit.optional(),
      mfa: rateLimit.optional(),
      reset: rateLimit.optional(),
      refresh: rateLimit.optional(),
      unknownEmails: rateLimit.optional(),
    })
    .optional(),
  metadata: fieldSchema().optional(),
  roles: fieldSchema().optional(),
  environment: z
    .string()
    .regex(/^[a-z]{1,16}$/, 'must be 1 to 16 letters from a to z')
    .optional(),
  migrate: z.boolean().optional(),
  observers: z.array(aFunction()).optional(),
  logger: objectWith(['info', 'warn', 'error'], 'a logger').optional(),
  clock: aFunction().optional(),
}
const schemaOf = (schemas: Record<keyof ClienteleOptions, z.ZodType>) =>
  z
    .strictObject(schemas)
    // What the schema has checked.
    .refine((options) => outlivesTokens(options as unknown as ClienteleOptions), {
      path: ['events', 'retentionDays'],
      message:
        'must be at least tokenTtlSeconds: what ends a token is in the feed while the token could be used',
      params: { code: 'too_small' },
    })
const optionsSchema = schemaOf(optionSchemas)
const withHookEndpoint = schemaOf({ ...optionSchemas, hooks: hookEndpoint })

/** @throws ClienteleError `configuration_invalid` */
export function checkOptions(options: ClienteleOptions): void {
  const hooks = Object(Object(options).hooks)
  // Of a union, zod says that no member fits: the member that is meant names what is wrong.
  const isEndpoint = 'url' in hooks || 'secret' in hooks
  const schema = isEndpoint ? withHookEndpoint : optionsSchema
  checkConfiguration(schema, options, 'createClientele({ repository })')
}
