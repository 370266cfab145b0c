import { reach } from './reach.ts'
import { isTokenCode, ValidatorError } from './validator-error.ts'
import type { ValidatorSettings } from './validator-options.ts'

const timeoutMs = 5_000

/**
 * Asks Clientele whether a token is valid.
 *
 * @throws ValidatorError with Clientele's code, or `validator_unavailable` without an answer of Clientele
 */
export async function askClientele(
  { baseUrl, apiKey }: ValidatorSettings,
  token: string,
): Promise<void> {
  const answer = await post(`${baseUrl}/client/user/auth/validation-token`, apiKey, token).catch(
    (error: unknown) => {
      throw new ValidatorError('validator_unavailable', { cause: error })
    },
  )
  const { status, isValid, code } = answer
  if (status === 200 && isValid === true) return
  if (status !== 200 && isTokenCode(code)) throw new ValidatorError(code)
  const cause = new Error(
    `Clientele answered the validation of a token with ${status} and without a result.`,
  )
  throw new ValidatorError('validator_unavailable', { cause })
}

async function post(
  url: string,
  apiKey: string,
  token: string,
): Promise<{ status: number; isValid: unknown; code: unknown }> {
  const response = await reach(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ token: `Bearer ${token}` }),
    signal: AbortSignal.timeout(timeoutMs),
    redirect: 'error',
  })
  const body: unknown = await response.json()
  const { isValid, code } = Object(body)
  return { status: response.status, isValid, code }
}
