import { ClienteleError } from '../../base/errors.ts'

/** The user was deleted or deactivated, or has a new password, which ended the challenge. */
export function refuseIfGone(error: unknown): never {
  const isGone =
    error instanceof ClienteleError &&
    (error.code === 'user_not_found' || error.code === 'credentials_invalid')
  throw isGone ? new ClienteleError('challenge_invalid') : error
}
