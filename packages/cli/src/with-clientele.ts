import { randomBytes } from 'node:crypto'
import type { Clientele, Repository, SigningAlgorithm } from '@clientele/core'
import type { Command } from 'commander'
import type { Access } from './open-database.ts'

// What commands need is loaded when one runs: --help and what is used wrongly do without.

/** What a command has to say: as one JSON document, or to a reader. */
export interface Output {
  json?: object
  text: string
}

type AccessOf<Options> = Access | ((options: Options) => Access)

/** Makes a command's action: opens the database that `DATABASE_URL` names, runs, prints, closes. */
export function withRepository<Options>(
  access: AccessOf<Options>,
  run: (repository: Repository, options: Options) => Promise<Output>,
): (options: Options, command: Command) => Promise<void> {
  return async (options, command) => {
    const { openDatabase } = await import('./open-database.ts')
    const repository = await openDatabase(readAccess(access, options))
    try {
      print(command, await run(repository, options))
    } finally {
      await repository.storage.close()
    }
  }
}

/** The same for what reads nothing that is encrypted, and so needs neither the secret nor the right one. */
export function withClientele<Options>(
  access: AccessOf<Options>,
  run: (clientele: Clientele, options: Options) => Promise<Output>,
): (options: Options, command: Command) => Promise<void> {
  return withRepository(access, async (repository, options) => {
    const withoutEncrypted: Repository = {
      ...repository,
      signingKeys: { ...repository.signingKeys, list: async () => [] },
      trustedIssuers: { ...repository.trustedIssuers, listEncryptedSecrets: async () => [] },
    }
    const { createClientele } = await import('@clientele/core')
    const clientele = await createClientele({
      repository: withoutEncrypted,
      secrets: [createThrowawaySecret()],
      migrate: readAccess(access, options) !== 'look',
    })
    return run(clientele, options)
  })
}

/** The same for what reads or makes signing keys; `open` gives a Clientele that signs by an algorithm. */
export function withSigningKeys<Options>(
  access: Access,
  run: (
    open: (signingAlgorithm?: SigningAlgorithm) => Promise<Clientele>,
    options: Options,
  ) => Promise<Output>,
): (options: Options, command: Command) => Promise<void> {
  return withRepository(access, async (repository, options: Options) => {
    const secrets = await readSecrets(repository, access)
    const { createClientele } = await import('@clientele/core')
    const open = (signingAlgorithm: SigningAlgorithm = 'EdDSA') =>
      createClientele({
        repository,
        signingAlgorithm,
        migrate: access !== 'look',
        ...(secrets && { secrets }),
      })
    return run(open, options)
  })
}

async function readSecrets(repository: Repository, access: Access): Promise<string[] | undefined> {
  const text = process.env.CLIENTELE_SECRET?.trim()
  if (text) return text.split(',').map((secret) => secret.trim())
  // Where no key is stored none is needed, and only what makes something makes a secret.
  const isNeeded = access === 'make' || (await repository.signingKeys.list()).length > 0
  return isNeeded ? undefined : [createThrowawaySecret()]
}

function createThrowawaySecret(): string {
  return randomBytes(32).toString('base64url')
}

function readAccess<Options>(access: AccessOf<Options>, options: Options): Access {
  return typeof access === 'function' ? access(options) : access
}

/** Prints as `--json` asks. */
function print(command: Command, { json, text }: Output): void {
  const { json: asJson } = command.optsWithGlobals<{ json?: true }>()
  if (text === '') return
  console.log(asJson ? JSON.stringify(json, undefined, 2) : text)
}
