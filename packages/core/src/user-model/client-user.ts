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
 * A user of an account, as callers in process see it: `id` (UUIDv7, RFC 9562), `email`, `name`, `roles`, `metadata`,
 * `isActive`, `createdAt`, `updatedAt`. `toWire` converts it to the form of the HTTP API.
 */
export type ClientUser = { [Name in UserFieldName]: ValueOf<Name> }

/** A user with its version, from which its ETag is made: 1 at creation, increased by each change. */
export interface UserResult {
  user: ClientUser
  version: number
}

/** The members of a user that callers set. */
export type Profile = Pick<ClientUser, ProfileFieldName>

/** The user in a response. The schema documents; `renderUser` writes the response. */
export const clientUserSchema = z
  .object(
    Object.fromEntries(userFieldNames.map((name) => [toWireName(name), userFields[name].schema])),
  )
  .meta({ id: 'ClientUser', description: 'An end user that belongs to one account.' })
