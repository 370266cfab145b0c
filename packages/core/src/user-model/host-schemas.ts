import type { JsonObject } from '../base/input/json.ts'

/**
 * A schema of yours, of any library that follows Standard Schema and Standard JSON Schema
 * (https://standardschema.dev): zod from 4.2 on, ArkType, Valibot with `toStandardJsonSchema`. It must answer at once,
 * without a promise.
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

/** What such a schema says of a value. */
export type FieldResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly FieldIssue[] }

export interface FieldIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/**
 * Tells the compiler of the schemas that you give to `createClientele`. From then on every user's `metadata` and `roles`
 * have your types: in inputs, in results, on `clientUser` of a guarded request.
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

/** What users' metadata are: JSON, or what the schema in `Register` makes. */
export type UserMetadata = Register extends { metadata: FieldSchema<infer Output> }
  ? Output
  : JsonObject

/** What one of users' roles is: a text, or what the schema in `Register` allows. */
export type UserRole = Register extends { roles: FieldSchema<infer Output> } ? Output : string

/** What a patch says of metadata (RFC 7396): any part of them; null takes a member out. */
export type MetadataPatch = Register extends { metadata: FieldSchema<infer Output> }
  ? MergePatch<Output>
  : JsonObject

/** The part of something that a merge patch names. */
export type MergePatch<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { [Name in keyof T]?: MergePatch<T[Name]> | null }
    : T

/** A schema that has to be given where it is registered. */
type Registered<Name extends string, Output> =
  Register extends Record<Name, unknown>
    ? Record<Name, FieldSchema<Output>>
    : Partial<Record<Name, FieldSchema<unknown>>>

/**
 * Schemas of yours, beside the rules that hold for everybody. They are applied to what is written, also by imports, and
 * stand in the OpenAPI document. `metadata` is the schema of a user's metadata, `roles` that of one role. What users have
 * had before is given as it is, until somebody writes it anew.
 */
export type HostSchemas = Registered<'metadata', UserMetadata> & Registered<'roles', UserRole>
