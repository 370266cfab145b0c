import { pickChanges } from '../../api/pick-changes.ts'
import { english } from '../../english.ts'
import type { Algorithm, Issuer, KeySource, NonceRule, UserLookup } from './issuer.ts'

/** An issuer as it stands in a form. */
export interface IssuerDraft {
  issuer: string
  audience: string[]
  algorithms: readonly Algorithm[]
  keySource: KeySource
  jwksUrl: string
  /** JSON, as it is typed */
  publicKeys: string
  /** Empty: the stored secret stays */
  sharedSecret: string
  userClaim: string
  /** Empty: the default for the claim */
  userLookup: UserLookup | ''
  clientIdAsAudience: boolean
  maxLifetimeSeconds: string
  trustUnverifiedEmail: boolean
  signIn: boolean
  linkByEmail: boolean
  nonce: NonceRule
  /** Empty: no limit */
  maxAgeSeconds: string
}

export const newIssuerDraft: IssuerDraft = {
  issuer: '',
  audience: [],
  algorithms: ['RS256'],
  keySource: 'discovery',
  jwksUrl: '',
  publicKeys: '',
  sharedSecret: '',
  userClaim: 'sub',
  userLookup: '',
  clientIdAsAudience: false,
  maxLifetimeSeconds: '86400',
  trustUnverifiedEmail: false,
  signIn: false,
  linkByEmail: false,
  nonce: 'required',
  maxAgeSeconds: '',
}

export function toIssuerDraft(issuer: Issuer): IssuerDraft {
  return {
    issuer: issuer.issuer,
    audience: [...issuer.audience],
    algorithms: issuer.algorithms,
    keySource: issuer.key_source,
    jwksUrl: issuer.jwks_url ?? '',
    publicKeys: issuer.public_keys === null ? '' : JSON.stringify(issuer.public_keys, null, 2),
    sharedSecret: '',
    userClaim: issuer.user_claim,
    userLookup: issuer.user_lookup,
    clientIdAsAudience: issuer.client_id_as_audience,
    maxLifetimeSeconds: String(issuer.max_lifetime_seconds),
    trustUnverifiedEmail: issuer.trust_unverified_email,
    signIn: issuer.sign_in,
    linkByEmail: issuer.link_by_email,
    nonce: issuer.nonce,
    maxAgeSeconds: issuer.max_age_seconds === null ? '' : String(issuer.max_age_seconds),
  }
}

/** Why a text has no keys; undefined: it has some, or needs none. */
export function findKeysIssue({ keySource, publicKeys }: IssuerDraft): string | undefined {
  if (keySource !== 'public_keys' || readKeys(publicKeys) !== undefined) return undefined
  return english.issuers.keysInvalid
}

/** The JWKs of a text that is a key set, a list of keys, or one key; undefined: it is none of these. */
function readKeys(text: string): unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const isSet = isObject(value) && !Array.isArray(value) && 'keys' in value
    const keys = isSet ? value.keys : value
    const list: unknown[] = Array.isArray(keys) ? keys : [keys]
    return list.every(isObject) ? list : undefined
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

type Body = Record<string, unknown>

/** The request body for a new issuer. */
export function toNewIssuer(draft: IssuerDraft): Body {
  return { ...toSettings(draft), ...toKeys(draft) }
}

/** The request body for a changed issuer: only changed members. */
export function toIssuerChanges(draft: IssuerDraft, old: Issuer): Body {
  const changes = pickChanges(toNewIssuer(toIssuerDraft(old)), toNewIssuer(draft))
  const hasOther = draft.keySource === 'discovery' && old.key_source !== 'discovery'
  return { ...changes, ...(hasOther && { [old.key_source]: null }) }
}

function toSettings(draft: IssuerDraft): Body {
  const { signIn, maxAgeSeconds, userLookup } = draft
  return {
    issuer: draft.issuer.trim(),
    audience: draft.audience,
    algorithms: draft.algorithms,
    user_claim: draft.userClaim.trim(),
    ...(userLookup !== '' && { user_lookup: userLookup }),
    client_id_as_audience: draft.clientIdAsAudience,
    max_lifetime_seconds: Number(draft.maxLifetimeSeconds),
    trust_unverified_email: draft.trustUnverifiedEmail,
    sign_in: signIn,
    // The other settings apply only to sign-in; without it they are refused.
    ...(signIn && {
      link_by_email: draft.linkByEmail,
      nonce: draft.nonce,
      max_age_seconds: maxAgeSeconds.trim() === '' ? null : Number(maxAgeSeconds),
    }),
  }
}

function toKeys({ keySource, jwksUrl, publicKeys, sharedSecret }: IssuerDraft): Body {
  if (keySource === 'jwks_url') return { jwks_url: jwksUrl.trim() }
  if (keySource === 'public_keys') return { public_keys: readKeys(publicKeys) ?? [] }
  return keySource === 'shared_secret' && sharedSecret !== '' ? { shared_secret: sharedSecret } : {}
}
