import { setTimeout as sleep } from 'node:timers/promises'
import { ValidatorError } from './validator-error.ts'
import type { ValidatorSettings } from './validator-options.ts'
import { OtherIssuer, type TokenVerifier } from './verify-token.ts'

const firstPauseMs = 100
const longestPauseMs = 2_000

/**
 * Reads the keys, and retries when that fails.
 *
 * @throws TypeError when Clientele names another issuer; ValidatorError `validator_unavailable` when the time is over
 */
export async function readKeys(
  verifier: TokenVerifier,
  { startTimeoutSeconds, onError }: ValidatorSettings,
): Promise<void> {
  const end = performance.now() + startTimeoutSeconds * 1000
  let pauseMs = firstPauseMs
  for (;;) {
    try {
      return await verifier.readKeys()
    } catch (error) {
      if (error instanceof OtherIssuer) throw error
      onError(error)
      if (performance.now() + pauseMs > end)
        throw new ValidatorError('validator_unavailable', { cause: error })
    }
    await sleep(pauseMs)
    pauseMs = Math.min(2 * pauseMs, longestPauseMs)
  }
}
