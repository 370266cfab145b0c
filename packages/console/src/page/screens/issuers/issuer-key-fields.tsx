import type { JSX } from 'preact'
import { english } from '../../english.ts'
import { type Choice, SelectField, TextAreaField, TextField } from '../../ui/field.tsx'
import type { KeySource } from './issuer.ts'
import type { IssuerPartProps } from './issuer-fields.tsx'

const t = english.issuers

const sources: readonly Choice<KeySource>[] = [
  { value: 'discovery', label: t.sources.discovery },
  { value: 'jwks_url', label: t.sources.jwks_url },
  { value: 'public_keys', label: t.sources.public_keys },
  { value: 'shared_secret', label: t.sources.shared_secret },
]

/** The fields for the keys that verify an issuer's tokens. */
export function IssuerKeyFields({
  draft,
  change,
  problem,
  keysIssue,
  keepsSecret,
}: IssuerPartProps & {
  keysIssue: string | undefined
  /** Whether the issuer has a secret, which stays if none is typed */
  keepsSecret: boolean
}): JSX.Element {
  const { keySource } = draft
  return (
    <>
      <SelectField
        label={t.keys}
        hint={t.sourceHints[keySource]}
        value={keySource}
        choices={sources}
        onValue={(source) => change({ keySource: source })}
      />
      {keySource === 'jwks_url' && (
        <TextField
          label={t.jwksUrl}
          type="url"
          value={draft.jwksUrl}
          onValue={(jwksUrl) => change({ jwksUrl })}
          issue={problem?.issueOf('jwks_url')}
          spellcheck={false}
          required
        />
      )}
      {keySource === 'public_keys' && (
        <TextAreaField
          label={t.publicKeys}
          hint={t.publicKeysHint}
          rows={6}
          value={draft.publicKeys}
          onValue={(publicKeys) => change({ publicKeys })}
          issue={keysIssue ?? problem?.issueOf('public_keys')}
          required
        />
      )}
      {keySource === 'shared_secret' && (
        <TextField
          label={t.sharedSecret}
          {...(keepsSecret && { hint: t.secretStays })}
          type="password"
          value={draft.sharedSecret}
          onValue={(sharedSecret) => change({ sharedSecret })}
          issue={problem?.issueOf('shared_secret')}
          autocomplete="off"
          required={!keepsSecret}
        />
      )}
    </>
  )
}
