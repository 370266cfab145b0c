import { z } from 'zod'
import type { UserRules } from '../../base/call/call.ts'
import { type InputIssue, invalidInput } from '../../base/errors.ts'
import { localeSchema } from '../../base/input/locale.ts'
import { givenOpaqueTokenSchema } from '../../base/input/opaque-tokens.ts'
import { wireObject } from '../../base/input/wire-names.ts'
import type { Profile } from '../../user-model/client-user.ts'
import { createFieldSchemas } from '../../user-model/field-schemas.ts'
import {
  mapProfile,
  type OptionalFieldName,
  type ProfileFieldName,
  userFields,
} from '../../user-model/fields.ts'
import type { HostSchemas, MetadataPatch, UserMetadata } from '../../user-model/host-schemas.ts'
import {
  defaultMinPasswordLength,
  newPasswordSchema,
  type PasswordPolicy,
} from '../passwords/password-policy.ts'

/** Callers may omit metadata, unless the host's own schema requires it. */
type OmittableName =
  Record<never, never> extends UserMetadata
    ? OptionalFieldName
    : Exclude<OptionalFieldName, 'metadata'>
type RequiredProfile = Omit<Profile, OmittableName>
type OptionalProfile = { [Name in OmittableName]?: Profile[Name] | undefined }

/** The input that creates a user: missing `roles` and `metadata` are empty. */
export interface CreateUserInput extends RequiredProfile, OptionalProfile {
  /** Undefined is accepted where the account's policy has `passwordRequired: false` */
  password: string | undefined
  /** False: the user cannot sign in, and their tokens are not valid. @default true */
  isActive?: boolean | undefined
}

/** The input that invites a user, who sets the password later. */
export interface InviteUserInput extends RequiredProfile, OptionalProfile {
  /** The language of the e-mail (BCP 47), which `sendMail` gets. @default none */
  locale?: string | undefined
}

/**
 * The input that replaces a user: missing roles and metadata become empty; a missing password or `isActive` stays
 * unchanged.
 */
export interface ReplaceUserInput extends Omit<CreateUserInput, 'password'> {
  /** Missing: unchanged */
  password?: string | undefined
}

type PatchProfile = {
  [Name in ProfileFieldName]?:
    | (Name extends 'metadata' ? MetadataPatch : Profile[Name])
    | (Name extends OptionalFieldName ? null : never)
    | undefined
}

/**
 * A JSON Merge Patch (RFC 7396): missing members stay; null resets roles and metadata. Metadata is merged member by
 * member, and null removes a member.
 */
export interface PatchUserInput extends PatchProfile {
  password?: string | undefined
  /** Activates or deactivates the user, with all consequences */
  isActive?: boolean | undefined
}

/** Accepted and ignored, so that a user can be read, changed and sent back. */
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

type SchemaOf<Name extends ProfileFieldName> = z.ZodType<Profile[Name]>
type CreateShape = {
  [Name in ProfileFieldName]: Name extends OptionalFieldName
    ? z.ZodDefault<SchemaOf<Name>>
    : SchemaOf<Name>
}
type PatchShape = {
  [Name in ProfileFieldName]: z.ZodOptional<
    Name extends OptionalFieldName ? z.ZodNullable<SchemaOf<Name>> : SchemaOf<Name>
  >
}

/** The schemas of users in requests; they depend on the password policy and the host's own schemas. */
export function createUserSchemas(policy: PasswordPolicy, host: Partial<HostSchemas> = {}) {
  const password = newPasswordSchema(policy.minLength ?? defaultMinPasswordLength)
  const isActive = userFields.isActive.schema
  const { fields, empty, narrowed, described } = createFieldSchemas(host)
  const profile = mapProfile<CreateShape>((name) => {
    const schema: z.ZodType = fields[name]
    return empty[name] === undefined ? schema : schema.default(empty[name])
  })
  const create = {
    ...profile,
    password,
    isActive: isActive.default(true),
    ...readOnly,
  }
  const optional = password
    .optional()
    .describe("Required, unless the account's policy has `password_required: false`")
  const createAnyhow = { ...create, password: optional }
  const invite = { ...profile, locale: localeSchema.optional() }
  const replace = { ...create, password: password.optional(), isActive: isActive.optional() }
  const patch = {
    ...mapProfile<PatchShape>((_name, { schema, empty, patch: patched }) =>
      empty === undefined ? schema.optional() : (patched ?? schema).nullable().optional(),
    ),
    password: password.optional(),
    isActive: isActive.optional(),
    ...readOnly,
  }
  const replaced = z.strictObject(replace)
  const patchedByUnnamed = new Map<string, z.ZodType<z.output<typeof replaced>>>([['', replaced]])
  return {
    fields,
    empty,
    described,
    create: z.strictObject(create),
    /** In accounts whose users need no password */
    createAnyhow: z.strictObject(createAnyhow),
    invite: z.strictObject(invite),
    replace: replaced,
    /**
     * The required state of a user after a patch. Members that the patch does not name may be older than the host's
     * schemas.
     */
    patched: (given: { [Name in ProfileFieldName]?: unknown }) => {
      const unnamed = narrowed.filter((name) => given[name] === undefined)
      const known = patchedByUnnamed.get(unnamed.join())
      if (known !== undefined) return known
      const ours = Object.fromEntries(unnamed.map((name) => [name, userFields[name].schema]))
      const schema = z.strictObject({ ...replace, ...ours })
      patchedByUnnamed.set(unnamed.join(), schema)
      return schema
    },
    patch: z.strictObject(patch),
    /** The same schemas for the wire. */
    wire: {
      create: wireObject(create),
      createAnyhow: wireObject(createAnyhow, { id: 'CreateUser' }),
      invite: wireObject(invite, { id: 'InviteUser' }),
      replace: wireObject(replace, { id: 'ReplaceUser' }),
      patch: wireObject(patch, { id: 'PatchUser', description: 'JSON Merge Patch (RFC 7396).' }),
    },
    reset: z
      .strictObject({ token: givenOpaqueTokenSchema, password })
      .meta({ id: 'ResetPassword' }),
    accept: z
      .strictObject({ token: givenOpaqueTokenSchema, password: optional })
      .meta({ id: 'AcceptInvitation' }),
    /** Only a new password, for schemas of other rooms */
    password,
  }
}
export type UserSchemas = ReturnType<typeof createUserSchemas>
export type CheckedCreate = z.output<UserSchemas['createAnyhow']>
export type CheckedInvite = z.output<UserSchemas['invite']>
export type CheckedAccept = z.output<UserSchemas['accept']>
export type CheckedReset = z.output<UserSchemas['reset']>
export type CheckedReplace = z.output<UserSchemas['replace']>
export type CheckedPatch = z.output<UserSchemas['patch']>

const breached: InputIssue = {
  pointer: '/password',
  code: 'breached',
  message: 'is known from a data breach',
}

/** A new password. A host's transaction has checked and hashed it first. */
interface NewPassword {
  password?: string | undefined
  isBreachChecked?: boolean
}

/** The rules that a schema cannot express: those of the account, and breached passwords. */
export async function checkAccountRules(
  { allowedRoles, minPasswordLength }: UserRules,
  policy: PasswordPolicy,
  { roles, password, isBreachChecked = false }: NewPassword & { roles: string[] },
): Promise<void> {
  const issues: InputIssue[] = []
  if (allowedRoles !== null) {
    for (const [index, role] of roles.entries()) {
      if (!allowedRoles.includes(role)) {
        issues.push({
          pointer: `/roles/${index}`,
          code: 'value',
          message: 'is not one of the roles of this account',
        })
      }
    }
  }
  if (password !== undefined) {
    if (minPasswordLength !== null && [...password].length < minPasswordLength)
      issues.push(tooShort(minPasswordLength))
    else if (!isBreachChecked && (await policy.isBreached?.(password))) issues.push(breached)
  }
  if (issues.length > 0) throw invalidInput(issues)
}

function tooShort(minimum: number): InputIssue {
  return {
    pointer: '/password',
    code: 'too_short',
    message: `must have at least ${minimum} characters in this account`,
  }
}

/**
 * Refuses a breached password, which a schema cannot do.
 *
 * @throws ClienteleError `validation_failed`
 */
export async function checkPassword(policy: PasswordPolicy, password: string): Promise<void> {
  if (await policy.isBreached?.(password)) throw invalidInput([breached])
}
