import type { IssuerAlgorithm, NonceRule, TrustedIssuerChanges, UserLookup } from '@clientele/core'
import { type Command, Option } from 'commander'
import { isObject } from './is-object.ts'
import { parseSeconds } from './parse-seconds.ts'

const algorithms = Object.keys({
  ES256: true,
  ES384: true,
  ES512: true,
  RS256: true,
  RS384: true,
  RS512: true,
  PS256: true,
  PS384: true,
  PS512: true,
  EdDSA: true,
  Ed25519: true,
  HS256: true,
  HS384: true,
  HS512: true,
} satisfies Record<IssuerAlgorithm, true>)
const lookups = Object.keys({ id: true, email: true, identity: true } satisfies Record<
  UserLookup,
  true
>)
const nonceRules = Object.keys({ required: true, optional: true, sha256: true } satisfies Record<
  NonceRule,
  true
>)

/** The options that `issuer create` and `issuer update` share. An option that is not given is undefined. */
export interface IssuerOptions {
  account: string
  issuer?: string
  audience?: string[]
  algorithm?: IssuerAlgorithm[]
  jwksUrl?: string
  publicKeys?: string
  sharedSecretFile?: string
  userClaim?: string
  userLookup?: UserLookup
  allowClientId?: boolean
  signIn?: boolean
  linkByEmail?: boolean
  nonce?: NonceRule
  /** false: turned off */
  maxAge?: number | false
  maxLifetime?: number
  trustUnverifiedEmail?: boolean
}

const keyOptions = ['jwksUrl', 'publicKeys', 'sharedSecretFile', 'discover']

/** An option for the source of an issuer's keys: at most one of them may be given. */
export function keyOption(flags: string, description: string): Option {
  const option = new Option(flags, description)
  return option.conflicts(keyOptions.filter((name) => name !== option.attributeName()))
}

/** Adds the options that `issuer create` and `issuer update` share, except those that `create` requires. */
export function addIssuerOptions(command: Command): Command {
  return command
    .addOption(keyOption('--jwks-url <url>', 'the URL of its key set'))
    .addOption(keyOption('--public-keys <file>', 'a file with its keys: a JWK set, or one JWK'))
    .addOption(keyOption('--shared-secret-file <file>', 'a file with the shared secret'))
    .option('--user-claim <claim>', 'the claim that names the user; sub by default')
    .addOption(
      new Option(
        '--user-lookup <kind>',
        'the content of that claim; default: id for sub and user_id, email for email, identity for others',
      ).choices(lookups),
    )
    .option('--allow-client-id', 'if a token has no aud, compare its client_id or azp instead')
    .option('--sign-in', 'let its ID tokens open sessions')
    .option('--link-by-email', 'link an identity to the user who has its verified e-mail')
    .addOption(
      new Option('--nonce <rule>', 'the nonce of an ID token; required by default').choices(
        nonceRules,
      ),
    )
    .option(
      '--max-age <seconds>',
      'the maximum time since the user signed in at the issuer',
      parseSeconds,
    )
    .option(
      '--max-lifetime <seconds>',
      'the maximum lifetime of its tokens; a day by default',
      parseSeconds,
    )
    .option('--trust-unverified-email', 'accept e-mails that the issuer has not marked as verified')
}

/** The repeatable options for algorithms and audiences. */
export const audienceOption = () =>
  new Option('--audience <audience...>', 'values of aud; a token must have at least one of them')
export const algorithmOption = () =>
  new Option('--algorithm <name...>', 'the algorithms of its tokens').choices(algorithms)

/** Reads an issuer's settings from the options, and from the files that they name. */
export async function readIssuerOptions(options: IssuerOptions): Promise<TrustedIssuerChanges> {
  const { publicKeys, sharedSecretFile, maxAge } = options
  return {
    issuer: options.issuer,
    audience: options.audience,
    algorithms: options.algorithm,
    jwksUrl: options.jwksUrl,
    publicKeys: publicKeys === undefined ? undefined : await readPublicKeys(publicKeys),
    sharedSecret: sharedSecretFile === undefined ? undefined : await readSecret(sharedSecretFile),
    userClaim: options.userClaim,
    userLookup: options.userLookup,
    clientIdAsAudience: options.allowClientId,
    signIn: options.signIn,
    linkByEmail: options.linkByEmail,
    nonce: options.nonce,
    maxAgeSeconds: maxAge === false ? null : maxAge,
    maxLifetimeSeconds: options.maxLifetime,
    trustUnverifiedEmail: options.trustUnverifiedEmail,
  }
}

/** The file of a secret may end with a line break, which is not part of the secret. */
async function readSecret(path: string): Promise<string> {
  return (await readText(path)).replace(/\r?\n$/, '')
}

async function readPublicKeys(
  path: string,
): Promise<NonNullable<TrustedIssuerChanges['publicKeys']>> {
  const { UsageError } = await import('./usage-error.ts')
  const text = await readText(path)
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch {
    throw new UsageError(`${path} is not JSON.`)
  }
  const keys = isObject(document) && 'keys' in document ? document.keys : document
  const list: unknown[] = Array.isArray(keys) ? keys : [keys]
  if (!list.every(isJwk)) throw new UsageError(`${path} contains neither a JWK nor a JWK set.`)
  return list
}

async function readText(path: string): Promise<string> {
  const { readFile } = await import('node:fs/promises')
  const { UsageError } = await import('./usage-error.ts')
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path))
  } catch (error) {
    const reason = error instanceof TypeError ? 'it is not text in UTF-8' : codeOf(error)
    throw new UsageError(`${path} cannot be read: ${reason}.`)
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'it is no file'
}

function isJwk(value: unknown): value is { kty: string } {
  return isObject(value) && typeof value.kty === 'string'
}
