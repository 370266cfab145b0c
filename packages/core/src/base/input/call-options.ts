import { z } from 'zod'
import { idSchema } from './id.ts'

const changeOptions = { ifVersion: z.int().optional() }

/** The options of an in-process call, beside its input. An unknown option is refused, not ignored. */
export const changeOptionsSchema = z.strictObject(changeOptions).default({})
export const replaceOptionsSchema = z
  .strictObject({ ...changeOptions, keepSessionId: idSchema.optional() })
  .default({})
export const exportOptionsSchema = z
  .strictObject({ withHashes: z.boolean().optional() })
  .default({})
export const totpOptionsSchema = z.strictObject({ qrCode: z.boolean().optional() }).default({})
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
    amr: z.array(z.string().min(1)).min(1).optional(),
  })
  .default({})
