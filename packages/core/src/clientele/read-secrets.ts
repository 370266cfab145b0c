import { ClienteleError } from '../base/errors.ts'
import type { Logger } from '../base/runtime/logger.ts'
import type { Repository } from '../repository/repository.ts'
import type { ClienteleOptions } from './clientele-options.ts'

/**
 * The given secrets, otherwise the one stored beside the data, if the storage has a place for it.
 *
 * @throws ClienteleError `secret_required`
 */
export function readSecrets(
  { repository, secrets }: ClienteleOptions,
  logger: Logger,
): readonly string[] {
  return secrets ?? [findLocalSecret(repository, logger)]
}

/** Whether data may be stored under a secret that is not the first one. */
export function hasSeveralSecrets({ secrets }: Pick<ClienteleOptions, 'secrets'>): boolean {
  return (secrets?.length ?? 0) > 1
}

function findLocalSecret(repository: Repository, logger: Logger): string {
  if (repository.storage.localSecret === undefined) {
    throw new ClienteleError(
      'secret_required',
      'Set a secret that every process shares: CLIENTELE_SECRET for the server and the command line, `secrets` for ' +
        'createClientele. Make one with: openssl rand -base64 32.',
    )
  }
  const { secret, madeFile, openFile } = repository.storage.localSecret()
  if (madeFile !== undefined)
    logger.warn({ file: madeFile }, 'A secret was generated: keep this file with the database.')
  if (openFile !== undefined)
    logger.warn(
      { file: openFile },
      'Every user of this machine could read the secret. Its file was made readable by its owner only, if that was possible.',
    )
  return secret
}
