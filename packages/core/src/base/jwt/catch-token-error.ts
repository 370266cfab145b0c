import { ClienteleError, type TokenErrorCode, tokenErrorCodes } from '../errors.ts'

/** What work with a token came to, or why the token is not valid. */
export type OrTokenError<T> = { value: T } | { code: TokenErrorCode }

/** Answers with the code where work finds that a token is not valid. What else goes wrong is thrown. */
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
