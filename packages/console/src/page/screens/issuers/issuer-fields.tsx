import type { JSX } from 'preact'
import type { Problem } from '../../api/problem.ts'
import { english } from '../../english.ts'
import { CheckField, type Choice, SelectField, TextField } from '../../ui/field.tsx'
import { ListField } from '../../ui/list-field.tsx'
import { algorithms, type UserLookup } from './issuer.ts'
import type { IssuerDraft } from './issuer-draft.ts'

const t = english.issuers

const lookups: readonly Choice<UserLookup | ''>[] = [
  { value: '', label: t.lookups.usual },
  { value: 'id', label: t.lookups.id },
  { value: 'email', label: t.lookups.email },
  { value: 'identity', label: t.lookups.identity },
]

export interface IssuerPartProps {
  draft: IssuerDraft
  change: (part: Partial<IssuerDraft>) => void
  problem: Problem | undefined
}

/** The fields for the issuer and for the tokens that are accepted. */
export function TokenFields({ draft, change, problem }: IssuerPartProps): JSX.Element {
  return (
    <>
      <TextField
        label={t.issuer}
        hint={t.issuerHint}
        type="url"
        placeholder="https://login.example.com"
        value={draft.issuer}
        onValue={(issuer) => change({ issuer })}
        issue={problem?.issueOf('issuer')}
        autocomplete="off"
        spellcheck={false}
        autofocus
        required
      />
      <ListField
        label={t.audience}
        hint={t.audienceHint}
        values={draft.audience}
        onValues={(audience) => change({ audience })}
        issue={problem?.issueOf('audience')}
      />
      <fieldset class="choice">
        <legend>{t.algorithms}</legend>
        <div class="checks narrow">
          {algorithms.map((name) => (
            <CheckField
              key={name}
              label={name}
              checked={draft.algorithms.includes(name)}
              onChecked={(isChecked) =>
                change({
                  algorithms: algorithms.filter((one) =>
                    one === name ? isChecked : draft.algorithms.includes(one),
                  ),
                })
              }
            />
          ))}
        </div>
        {problem?.issueOf('algorithms') && <p class="issue">{problem.issueOf('algorithms')}</p>}
      </fieldset>
    </>
  )
}

/** The fields that say how a token's user is found, and which tokens are accepted: by lifetime, client id, and with unverified e-mails. */
export function UserFields({ draft, change, problem }: IssuerPartProps): JSX.Element {
  return (
    <>
      <div class="pair">
        <TextField
          label={t.userClaim}
          hint={t.userClaimHint}
          value={draft.userClaim}
          onValue={(userClaim) => change({ userClaim })}
          issue={problem?.issueOf('user_claim')}
          autocomplete="off"
          spellcheck={false}
        />
        <SelectField
          label={t.userLookup}
          value={draft.userLookup}
          choices={lookups}
          onValue={(userLookup) => change({ userLookup })}
          issue={problem?.issueOf('user_lookup')}
        />
      </div>
      <TextField
        label={t.maxLifetime}
        hint={t.maxLifetimeHint}
        type="number"
        value={draft.maxLifetimeSeconds}
        onValue={(maxLifetimeSeconds) => change({ maxLifetimeSeconds })}
        issue={problem?.issueOf('max_lifetime_seconds')}
      />
      <CheckField
        label={t.clientId}
        hint={t.clientIdHint}
        checked={draft.clientIdAsAudience}
        onChecked={(clientIdAsAudience) => change({ clientIdAsAudience })}
      />
      <CheckField
        label={t.unverified}
        hint={t.unverifiedHint}
        checked={draft.trustUnverifiedEmail}
        onChecked={(trustUnverifiedEmail) => change({ trustUnverifiedEmail })}
      />
    </>
  )
}
