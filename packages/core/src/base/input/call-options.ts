import { z } from 'zod'
import { idSchema } from './id.ts'

const changeOptions = { ifVersion: z.int().optional() }

/** What may be said beside the input of a call in process. A misspelt option is refused, not passed over. */
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
    // None at all would let nobody pass.
    roles: z.array(z.string().min(1)).min(1).optional(),
  })
  .default({})
