import type { StoredSecrets } from '../base/crypto/stored-secrets.ts'
import { isClosedFault } from '../base/runtime/closed-fault.ts'
import type { Logger } from '../base/runtime/logger.ts'

/** Until then the processes of a rolling restart that still write under the former secret have ended. */
const usualPauseMs = 600_000

/**
 * Re-encrypts once more, ten minutes after the start: where a process starts before its predecessor ends, the predecessor
 * goes on writing under the former secret. After a fault it tries again.
 *
 * @returns a function that stops it
 */
export function repeatReencryption(
  { storedSecrets, logger }: { storedSecrets: StoredSecrets; logger: Logger },
  pauseMs = usualPauseMs,
): () => void {
  let timer: NodeJS.Timeout | undefined
  const wait = (): void => {
    timer = setTimeout(reencrypt, pauseMs).unref()
  }
  const reencrypt = async (): Promise<void> => {
    try {
      await storedSecrets.reencrypt({ ofUsers: true })
    } catch (error) {
      if (isClosedFault(error) || timer === undefined) return
      logger.warn({ error }, 'Secrets could not be re-encrypted; it is tried again.')
      wait()
    }
  }
  wait()
  return () => {
    clearTimeout(timer)
    timer = undefined
  }
}
