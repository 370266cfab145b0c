import { randomBytes } from 'node:crypto'
import {
  type Clientele,
  createClientele,
  type Repository,
  type SigningAlgorithm,
} from '@clientele/core'
import { defaultDatabaseUrl, openRepository } from '@clientele/core/database-url'
import type { Command } from 'commander'

/** What a command has to say: as one JSON document, or to a reader. */
export interface Output {
  json?: object
  text: string
}

/** Makes a command's action: opens the database that `DATABASE_URL` names, runs, prints, closes. */
export function withRepository<Options>(
  run: (repository: Repository, options: Options) => Promise<Output>,
): (options: Options, command: Command) => Promise<void> {
  return async (options, command) => {
    const repository = await openRepository(process.env.DATABASE_URL?.trim() || defaultDatabaseUrl)
    try {
      print(command, await run(repository, options))
    } finally {
      await repository.close()
    }
  }
}

/** The same for what reads nothing that is encrypted, and so needs neither the secret nor the right one. */
export function withClientele<Options>(
  run: (clientele: Clientele, options: Options) => Promise<Output>,
): (options: Options, command: Command) => Promise<void> {
  return withRepository(async (repository, options: Options) => {
    const secrets = [randomBytes(32).toString('base64url')]
    const withoutSealed = {
      ...repository,
      listSigningKeys: async () => [],
      listSealedIssuerSecrets: async () => [],
    }
    return run(await createClientele({ repository: withoutSealed, secrets }), options)
  })
}

/** The same for what reads or makes signing keys; `open` gives a Clientele that signs by an algorithm. */
export function withSigningKeys<Options>(
  run: (
    open: (signingAlgorithm?: SigningAlgorithm) => Promise<Clientele>,
    options: Options,
  ) => Promise<Output>,
): (options: Options, command: Command) => Promise<void> {
  return withRepository(async (repository, options: Options) => {
    const text = process.env.CLIENTELE_SECRET?.trim() || undefined
    const secrets = text?.split(',').map((secret) => secret.trim())
    const open = (signingAlgorithm: SigningAlgorithm = 'EdDSA') =>
      createClientele({ repository, signingAlgorithm, ...(secrets && { secrets }) })
    return run(open, options)
  })
}

/** Prints as `--json` asks. */
export function print(command: Command, { json, text }: Output): void {
  const { json: asJson } = command.optsWithGlobals<{ json?: true }>()
  if (text === '') return
  console.log(asJson ? JSON.stringify(json, undefined, 2) : text)
}
