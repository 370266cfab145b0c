import { ClienteleError, type TokenErrorCode, tokenErrorCodes } from '../errors.ts'

/** The result of work with a token, or why the token is not valid. */
export type OrTokenError<T> = { value: T } | { code: TokenErrorCode }

/** Returns the code when the work throws a token error. Other errors are rethrown. */
export async function catchTokenError<T>(work: () => T | Promise<T>): Promise<OrTokenError<T>> {
  try {
    return { value: await work() }
  } catch (error) {
    const found = error instanceof ClienteleError ? error.code : undefined
    const code = tokenErrorCodes.find((each) => each === found)
    if (code === undefined) throw error
    return { code }
  }
}
