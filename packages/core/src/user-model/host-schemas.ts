import type { JsonObject } from '../base/input/json.ts'

/**
 * A schema of yours, from any library that supports Standard Schema and Standard JSON Schema
 * (https://standardschema.dev): zod from 4.2 on, ArkType, Valibot with `toStandardJsonSchema`. It must be synchronous.
 */
export interface FieldSchema<Output> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => FieldResult<Output> | Promise<FieldResult<Output>>
    readonly jsonSchema: {
      readonly input: (options: { target: 'draft-2020-12' }) => Record<string, unknown>
      readonly output: (options: { target: 'draft-2020-12' }) => Record<string, unknown>
    }
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined
  }
}

/** The result of validating a value. */
export type FieldResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly FieldIssue[] }

export interface FieldIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/**
 * Registers the types of the schemas that you pass to `createClientele`. Every user's `metadata` and `roles` then have
 * your types: in inputs, in results, on `clientUser` of a guarded request.
 *
 * @example
 * import { createClientele } from '@clientele/core'
 * import { sqlite } from '@clientele/core/sqlite'
 * import { z } from 'zod'
 *
 * const metadata = z.object({ plan: z.enum(['free', 'pro']).default('free') })
 * const roles = z.enum(['admin', 'member'])
 *
 * declare module '@clientele/core' {
 *   interface Register { metadata: typeof metadata; roles: typeof roles }
 * }
 *
 * const clientele = await createClientele({
 *   repository: sqlite({ filename: 'users.sqlite' }), metadata, roles,
 * })
 */
// biome-ignore lint/suspicious/noEmptyInterface: hosts add to it
export interface Register {}

/** The type of users' metadata: JSON, or the output of the schema in `Register`. */
export type UserMetadata = Register extends { metadata: FieldSchema<infer Output> }
  ? Output
  : JsonObject

/** The type of a role: a string, or the output of the schema in `Register`. */
export type UserRole = Register extends { roles: FieldSchema<infer Output> } ? Output : string

/** The metadata in a patch (RFC 7396): any part of them; null removes a member. */
export type MetadataPatch = Register extends { metadata: FieldSchema<infer Output> }
  ? MergePatch<Output>
  : JsonObject

/** The recursive partial type of a merge patch. */
export type MergePatch<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { [Name in keyof T]?: MergePatch<T[Name]> | null }
    : T

/** A schema that is required if it is registered. */
type Registered<Name extends string, Output> =
  Register extends Record<Name, unknown>
    ? Record<Name, FieldSchema<Output>>
    : Partial<Record<Name, FieldSchema<unknown>>>

/**
 * Schemas of yours, in addition to our own rules. They apply to all writes, including imports, and are part of the
 * OpenAPI document. `metadata` is the schema of a user's metadata, `roles` that of one role. Existing values of users
 * are returned unchanged until they are written again.
 */
export type HostSchemas = Registered<'metadata', UserMetadata> & Registered<'roles', UserRole>
