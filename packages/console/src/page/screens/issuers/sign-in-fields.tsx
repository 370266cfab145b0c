import type { JSX } from 'preact'
import { english } from '../../english.ts'
import { CheckField, type Choice, SelectField, TextField } from '../../ui/field.tsx'
import type { NonceRule } from './issuer.ts'
import type { IssuerPartProps } from './issuer-fields.tsx'

const t = english.issuers

const nonceRules: readonly Choice<NonceRule>[] = [
  { value: 'required', label: t.nonces.required },
  { value: 'optional', label: t.nonces.optional },
  { value: 'sha256', label: t.nonces.sha256 },
]

/** Whether its ID tokens open sessions, and under which conditions. */
export function SignInFields({ draft, change, problem }: IssuerPartProps): JSX.Element {
  return (
    <>
      <CheckField
        label={t.signIn}
        hint={t.signInHint}
        checked={draft.signIn}
        onChecked={(signIn) => change({ signIn })}
      />
      {draft.signIn && (
        <>
          <CheckField
            label={t.linkByEmail}
            hint={t.linkByEmailHint}
            checked={draft.linkByEmail}
            onChecked={(linkByEmail) => change({ linkByEmail })}
          />
          <div class="pair">
            <SelectField
              label={t.nonce}
              value={draft.nonce}
              choices={nonceRules}
              onValue={(nonce) => change({ nonce })}
              issue={problem?.issueOf('nonce')}
            />
            <TextField
              label={t.maxAge}
              hint={t.maxAgeHint}
              type="number"
              value={draft.maxAgeSeconds}
              onValue={(maxAgeSeconds) => change({ maxAgeSeconds })}
              issue={problem?.issueOf('max_age_seconds')}
            />
          </div>
        </>
      )}
    </>
  )
}
