import { z } from 'zod'
import { idSchema } from './id.ts'
import { scopeSchema } from './scope-text.ts'

const changeOptions = { ifVersion: z.int().optional() }

/** The options of an in-process call, beside its input. An unknown option is refused, not ignored. */
export const changeOptionsSchema = z.strictObject(changeOptions).default({})
export const replaceOptionsSchema = z
  .strictObject({
    ...changeOptions,
    keepSessionId: idSchema.optional(),
    revokeTokens: z.boolean().optional(),
  })
  .default({})
export const exportOptionsSchema = z
  .strictObject({ withHashes: z.boolean().optional() })
  .default({})
export const totpOptionsSchema = z.strictObject({ qrCode: z.boolean().optional() }).default({})
/** Names of methods elsewhere in Clientele, and their values in `amr` (RFC 8176). With one of these no user would pass. */
const valuesOfMethods: Record<string, string> = {
  password: 'pwd',
  passkey: 'hwk or swk',
  id_token: 'fed',
  totp: 'otp',
  email: 'otp',
  recovery_code: 'mfa',
}
const amrSchema = z
  .string()
  .min(1)
  .refine((value) => !Object.hasOwn(valuesOfMethods, value), {
    params: { code: 'value' },
    error: ({ input }) =>
      `is not in the claim amr, which has ${valuesOfMethods[String(input)]} for it`,
  })
export const guardOptionsSchema = z
  .strictObject({
    accountId: idSchema.optional(),
    // An empty list of roles would admit no user.
    roles: z.array(z.string().min(1)).min(1).optional(),
    maxAge: z
      .int()
      .min(1)
      .max(366 * 24 * 3_600)
      .optional(),
    amr: z.array(amrSchema).min(1).optional(),
    impersonation: z.enum(['allow', 'refuse']).optional(),
    scopes: z.array(scopeSchema).min(1).optional(),
  })
  .check((context) => {
    for (const [name, value] of Object.entries(context.value))
      if (value === undefined)
        context.issues.push({
          code: 'custom',
          path: [name],
          input: value,
          params: { code: 'undefined' },
          // As with a setting that is missing. Taken as absent, it would admit more users than were meant.
          message: 'is undefined: give it a value, or leave it out',
        })
  })
  .default({})
