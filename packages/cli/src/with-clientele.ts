import type { Clientele, Repository, SendMail, SigningAlgorithm } from '@clientele/core'
import type { Command } from 'commander'
import { isObject } from './is-object.ts'
import type { Access } from './open-database.ts'

// The modules of commands are loaded when one runs, not for --help or wrong usage.

/** The output of a command: as one JSON document, or as text. */
export interface Output {
  json?: object
  text: string
}

type AccessOf<Options> = Access | ((options: Options) => Access)

/** Makes a command's action: opens the database of `DATABASE_URL`, runs, prints, closes. */
export function withRepository<Options>(
  access: AccessOf<Options>,
  run: (repository: Repository, options: Options) => Promise<Output>,
): (options: Options, command: Command) => Promise<void> {
  return async (options, command) => {
    const { openDatabase } = await import('./open-database.ts')
    const repository = await openDatabase(readAccess(access, options))
    try {
      await print(command, await run(repository, options))
    } finally {
      await repository.storage.close()
    }
  }
}

/** The same for a command that works with a Clientele. */
export function withClientele<Options>(
  access: AccessOf<Options>,
  run: (clientele: Clientele, options: Options) => Promise<Output>,
): (options: Options, command: Command) => Promise<void> {
  return withRepository(access, async (repository, options) =>
    run(await openClientele(repository, readAccess(access, options)), options),
  )
}

/** The same for a command that mails: it gets a promise of the delivery of its first mail. */
export function withMail<Options>(
  access: AccessOf<Options>,
  run: (clientele: Clientele, options: Options, delivered: Promise<void>) => Promise<Output>,
): (options: Options, command: Command) => Promise<void> {
  return async (options, command) => {
    const { openCommandMail } = await import('./open-command-mail.ts')
    const mail = await openCommandMail(process.env)
    try {
      await withRepository(access, async (repository: Repository, given: Options) => {
        const { sendMail, delivered } = mail
        const opened = await openClientele(repository, readAccess(access, given), { sendMail })
        return run(opened, given, delivered)
      })(options, command)
    } finally {
      mail.close()
    }
  }
}

interface CommandOptions {
  checksSecret?: boolean
  sendMail?: SendMail
  /** @default that of createClientele */
  signingKeyPublishSeconds?: number | undefined
}

/** Most commands need no secret. With `checksSecret` it is required, and must be the server's secret. */
export async function openClientele(
  repository: Repository,
  access: Access,
  { checksSecret = false, sendMail, signingKeyPublishSeconds }: CommandOptions = {},
): Promise<Clientele> {
  const { createClientele } = await import('@clientele/core')
  // As the server reads it. `createClientele` refuses an unknown algorithm.
  const signingAlgorithm = process.env.SIGNING_ALGORITHM?.trim() as SigningAlgorithm | undefined
  const { readGivenSecrets } = await import('./read-given-secrets.ts')
  const secrets = readGivenSecrets()
  // Creating an issuer reads its documents, only from addresses that the server may read, too.
  const allowPrivateAddresses = process.env.ALLOW_PRIVATE_ADDRESSES?.trim() === 'true'
  const ownClock = process.env.DATABASE_CLOCK?.trim() === 'false'
  const chainsEvents = process.env.AUDIT_CHAIN?.trim() === 'true'
  return createClientele({
    repository,
    ...(chainsEvents && { audit: { chain: true } }),
    ...(ownClock && { clock: () => Date.now() }),
    ...(signingAlgorithm && { signingAlgorithm }),
    migrate: access !== 'look',
    // Only the server or the program knows how long it keeps events.
    deleteExpired: false,
    lazyKeys: !checksSecret,
    webhooks: { allowPrivateAddresses },
    trustedIssuers: { allowPrivateAddresses },
    ...(secrets && { secrets }),
    ...(sendMail && { sendMail }),
    ...(signingKeyPublishSeconds !== undefined && { signingKeyPublishSeconds }),
  })
}

function readAccess<Options>(access: AccessOf<Options>, options: Options): Access {
  return typeof access === 'function' ? access(options) : access
}

/** Prints JSON with `--json`, otherwise text. */
async function print(command: Command, { json = {}, text }: Output): Promise<void> {
  const { json: asJson } = command.optsWithGlobals<{ json?: true }>()
  if (text === '') return
  console.log(asJson ? JSON.stringify(await toDocument(json), undefined, 2) : text)
}

/**
 * The document and the objects in it as the wire has them; the contents of those objects belong to callers and keep
 * their names.
 */
async function toDocument(json: object): Promise<object> {
  const { toWire } = await import('@clientele/core')
  const toMember = (value: unknown): unknown =>
    isObject(value) ? toObject(value) : Array.isArray(value) ? value.map(toMember) : value
  // An account's settings are ours, too.
  const toOurs = (value: unknown): unknown => (isObject(value) ? toWire(value) : value)
  const toObject = (value: Record<string, unknown>): object =>
    toWire(
      Object.fromEntries(
        Object.entries(value).map(([name, member]) => [
          name,
          name === 'passkeys' || name === 'policy' ? toOurs(member) : member,
        ]),
      ),
    )
  const members = Object.entries(json).map(([name, value]) => [name, toMember(value)])
  return toWire(Object.fromEntries(members))
}
