import { z } from 'zod'
import type { AccountRules } from '../accounts/account.ts'
import { type InputIssue, invalidInput } from '../errors.ts'
import { isPlainObject, type JsonObject } from '../input/json.ts'
import { givenOpaqueTokenSchema } from '../input/opaque-tokens.ts'
import { wireObject } from '../input/wire-names.ts'
import {
  defaultMinPasswordLength,
  newPasswordSchema,
  type PasswordPolicy,
} from '../passwords/password-policy.ts'
import { metadataSchema, nameSchema, type Profile, rolesSchema } from './client-user.ts'
import { emailSchema } from './email-address.ts'

/** What a caller sends to create a user. */
export interface CreateUserInput {
  name: string
  email: string
  password: string
  /** @default [] */
  roles?: string[] | undefined
  /** @default {} */
  metadata?: JsonObject | undefined
  /** False: the user cannot sign in, and its tokens are not valid. @default true */
  isActive?: boolean | undefined
}

/**
 * The whole model: roles and metadata that are missing become empty; a missing password leaves the password, a missing
 * `isActive` leaves the user as it is.
 */
export interface ReplaceUserInput extends Omit<CreateUserInput, 'password'> {
  password?: string | undefined
}

/** A JSON Merge Patch (RFC 7396): what is missing stays; null resets roles and metadata. */
export interface PatchUserInput {
  name?: string | undefined
  email?: string | undefined
  password?: string | undefined
  roles?: string[] | null | undefined
  /** Merged member by member; null removes a member */
  metadata?: JsonObject | null | undefined
  /** The same as to activate or deactivate, with all that follows */
  isActive?: boolean | undefined
}

/** Taken and ignored, so that a user can be read, changed and sent back whole. */
const readOnly = {
  id: ignored({ type: 'string', format: 'uuid' }),
  createdAt: ignored({ type: 'string', format: 'date-time' }),
  updatedAt: ignored({ type: 'string', format: 'date-time' }),
}

function ignored(described: object) {
  return z
    .unknown()
    .optional()
    .meta({ ...described, readOnly: true, description: 'Read-only: ignored here.' })
}

/** The schemas of what is sent for users; they depend on the password policy. */
export function createUserSchemas(policy: PasswordPolicy) {
  const password = newPasswordSchema(policy.minLength ?? defaultMinPasswordLength)
  const profile = {
    name: nameSchema,
    email: emailSchema,
    roles: rolesSchema.default([]),
    metadata: metadataSchema.default({}),
  }
  const isActive = z.boolean().meta({ examples: [true] })
  const create = { ...profile, password, isActive: isActive.default(true), ...readOnly }
  const replace = {
    ...profile,
    password: password.optional(),
    isActive: isActive.optional(),
    ...readOnly,
  }
  const patch = {
    name: nameSchema.optional(),
    email: emailSchema.optional(),
    password: password.optional(),
    roles: rolesSchema.nullable().optional(),
    metadata: z
      .custom<JsonObject>(isPlainObject, {
        message: 'must be an object',
        params: { code: 'type' },
      })
      .meta({ type: 'object', additionalProperties: true })
      .nullable()
      .optional(),
    isActive: isActive.optional(),
    ...readOnly,
  }
  return {
    create: z.strictObject(create),
    replace: z.strictObject(replace),
    patch: z.strictObject(patch),
    /** The same as they come over the wire. */
    wire: {
      create: wireObject(create, { id: 'CreateUser' }),
      replace: wireObject(replace, { id: 'ReplaceUser' }),
      patch: wireObject(patch, { id: 'PatchUser', description: 'JSON Merge Patch (RFC 7396).' }),
    },
    reset: z
      .strictObject({ token: givenOpaqueTokenSchema, password })
      .meta({ id: 'ResetPassword' }),
  }
}
export type UserSchemas = ReturnType<typeof createUserSchemas>
export type CheckedCreate = z.output<UserSchemas['create']>
export type CheckedReset = z.output<UserSchemas['reset']>
export type CheckedReplace = z.output<UserSchemas['replace']>
export type CheckedPatch = z.output<UserSchemas['patch']>

/** What of a checked input is stored as it is: never what it has besides. */
export function profileOf({ name, email, roles, metadata }: Profile): Profile {
  return { name, email, roles, metadata }
}

/** The rules that a schema can't know: the account's roles, and passwords known to be breached. */
export async function checkAccountRules(
  account: AccountRules,
  policy: PasswordPolicy,
  input: { roles: string[]; password?: string | undefined },
): Promise<void> {
  const { allowedRoles } = account
  const issues: InputIssue[] = []
  if (allowedRoles !== null) {
    for (const [index, role] of input.roles.entries()) {
      if (!allowedRoles.includes(role)) {
        issues.push({
          pointer: `/roles/${index}`,
          code: 'value',
          message: 'is not one of the roles of this account',
        })
      }
    }
  }
  if (input.password !== undefined && (await policy.isBreached?.(input.password))) {
    issues.push({ pointer: '/password', code: 'breached', message: 'is known from a data breach' })
  }
  if (issues.length > 0) throw invalidInput(issues)
}
