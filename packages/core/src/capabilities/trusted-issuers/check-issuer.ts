import { type InputIssue, invalidInput } from '../../base/errors.ts'
import { issuerOf } from '../signing-keys/issuer-name.ts'
import type { CheckedIssuer } from './issuer-schema.ts'
import { algorithmsOf, type PublicJwk } from './public-jwk.ts'
import { UnreadableKeys } from './read-issuer-keys.ts'
import type { TrustedIssuersServices } from './services.ts'

/**
 * Checks the rules that the schema cannot express. Reads no documents.
 *
 * @throws ClienteleError `validation_failed`
 */
export async function checkIssuer(
  { trustedIssuers, publicUrl, storedSecrets }: TrustedIssuersServices,
  accountId: string,
  input: CheckedIssuer,
): Promise<void> {
  const problems: InputIssue[] = []
  if (input.issuer === issuerOf(publicUrl, accountId))
    problems.push({
      pointer: '/issuer',
      code: 'reserved',
      message: 'is the issuer of our own tokens',
    })
  const remote = findRemote(input)
  const urlProblem = remote && findRemoteProblem(remote, trustedIssuers)
  if (remote !== undefined && urlProblem !== undefined)
    problems.push({ pointer: `/${remote.field}`, code: 'url', message: urlProblem + remote.why })
  const importable = await trustedIssuers.areImportable(input.publicKeys ?? [])
  for (const [index, isKey] of importable.entries()) {
    if (!isKey)
      problems.push({
        pointer: `/publicKeys/${index}`,
        code: 'key',
        message: 'is not a valid key',
      })
  }
  if (problems.length > 0) throw invalidInput(problems)
  if (input.sharedSecret !== undefined) await storedSecrets.ensureChecked()
}

/**
 * Reads the remote keys of an issuer; undefined when its keys are not remote.
 *
 * @throws ClienteleError `validation_failed` when they cannot be read, or none fits the algorithms; `overloaded`
 */
export async function readRemoteKeys(
  { trustedIssuers }: TrustedIssuersServices,
  accountId: string,
  input: CheckedIssuer,
): Promise<PublicJwk[] | undefined> {
  const remote = findRemote(input)
  if (remote === undefined) return undefined
  const refuse = (message: string) =>
    invalidInput([{ pointer: `/${remote.field}`, code: 'key_source', message }])
  let keys: PublicJwk[]
  try {
    const location = { issuer: input.issuer, jwksUrl: input.jwksUrl ?? null }
    keys = await trustedIssuers.readKeys(accountId, location)
  } catch (error) {
    throw error instanceof UnreadableKeys ? refuse(error.message) : error
  }
  const allowed: readonly string[] = input.algorithms
  const fitting = keys.filter((jwk) => algorithmsOf(jwk).some((name) => allowed.includes(name)))
  const importable = await trustedIssuers.areImportable(fitting)
  if (!importable.includes(true))
    throw refuse('has no key that verifies one of the allowed algorithms')
  return keys
}

function findRemoteProblem(
  { field, url }: Remote,
  trustedIssuers: TrustedIssuersServices['trustedIssuers'],
): string | undefined {
  const problem = trustedIssuers.findUrlProblem(url)
  if (problem !== undefined || field === 'jwksUrl' || !/[?#]/.test(url)) return problem
  // RFC 8414, section 2
  return 'must have no query and no fragment'
}

/** The URL to read, and the field that it came from. */
interface Remote {
  field: 'issuer' | 'jwksUrl'
  url: string
  /** Why a URL that can be read is required, if that is not obvious */
  why: string
}

function findRemote({
  issuer,
  sharedSecret,
  publicKeys,
  jwksUrl,
}: CheckedIssuer): Remote | undefined {
  if (jwksUrl !== undefined) return { field: 'jwksUrl', url: jwksUrl, why: '' }
  if (sharedSecret !== undefined || publicKeys !== undefined) return undefined
  const why = ', since its keys are discovered: or give sharedSecret, publicKeys or jwksUrl'
  return { field: 'issuer', url: issuer, why }
}
