import { isTokenCode, ValidatorError } from './validator-error.ts'
import type { ValidatorSettings } from './validator-options.ts'

const timeoutMs = 5_000

/**
 * Asks Clientele whether a token is valid.
 *
 * @throws ValidatorError its code, or `validator_unavailable` where there is no answer
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
  if (answer.status === 200) return
  throw new ValidatorError(isTokenCode(answer.code) ? answer.code : 'validator_unavailable')
}

async function post(
  url: string,
  apiKey: string,
  token: string,
): Promise<{ status: number; code: unknown }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ token: `Bearer ${token}` }),
    signal: AbortSignal.timeout(timeoutMs),
    redirect: 'error',
  })
  const body: unknown = await response.json()
  return { status: response.status, code: Object(body).code }
}
