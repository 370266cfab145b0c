import { z } from 'zod'
import { toWireName } from '../base/input/wire-names.ts'
import {
  type ProfileFieldName,
  type UserFieldName,
  userFieldNames,
  userFields,
  type ValueOf,
} from './fields.ts'

/**
 * An end user that belongs to one account, as callers in process see it: `id` (UUIDv7, RFC 9562), `email`, `name`,
 * `roles`, `metadata`, `isActive`, `createdAt`, `updatedAt`. `toWire` writes it as the HTTP API does.
 */
export type ClientUser = { [Name in UserFieldName]: ValueOf<Name> }

/** A user with its version, which is what its ETag is made of: 1 at creation, one more at each change. */
export interface UserResult {
  user: ClientUser
  version: number
}

/** Of a user, what a caller gives it and changes as it likes. */
export type Profile = Pick<ClientUser, ProfileFieldName>

/** The user in a response. It documents; what is sent is made by `renderUser`. */
export const clientUserSchema = z
  .object(
    Object.fromEntries(userFieldNames.map((name) => [toWireName(name), userFields[name].schema])),
  )
  .meta({ id: 'ClientUser', description: 'An end user that belongs to one account.' })
