import type { JSX } from 'preact'
import type { Problem } from '../../api/problem.ts'
import { english } from '../../english.ts'
import { CheckField, TextAreaField, TextField } from '../../ui/field.tsx'
import { ListField } from '../../ui/list-field.tsx'
import type { UserDraft } from './user-draft.ts'

const t = english.users

/** The fields of a user, for the forms that create and change one. */
export function UserFields({
  draft,
  onDraft,
  problem,
  metadataIssue,
  isNew = false,
  isInvited = false,
}: {
  draft: UserDraft
  onDraft: (draft: UserDraft) => void
  problem: Problem | undefined
  metadataIssue: string | undefined
  isNew?: boolean
  /** Whether the user sets the password: the form has none */
  isInvited?: boolean
}): JSX.Element {
  const change = (part: Partial<UserDraft>) => onDraft({ ...draft, ...part })
  return (
    <>
      <div class="pair">
        <TextField
          label={t.name}
          value={draft.name}
          onValue={(name) => change({ name })}
          issue={problem?.issueOf('name')}
          autocomplete="off"
          autofocus
          required
        />
        <TextField
          label={t.email}
          type="email"
          value={draft.email}
          onValue={(email) => change({ email })}
          issue={problem?.code === 'email_taken' ? problem.message : problem?.issueOf('email')}
          autocomplete="off"
          spellcheck={false}
          required
        />
      </div>
      {!isInvited && (
        <TextField
          label={t.password}
          hint={isNew ? t.passwordHint : t.newPasswordHint}
          type="password"
          value={draft.password}
          onValue={(password) => change({ password })}
          issue={problem?.issueOf('password')}
          autocomplete="new-password"
          required={isNew}
        />
      )}
      <ListField
        label={t.roles}
        hint={t.rolesHint}
        values={draft.roles}
        onValues={(roles) => change({ roles })}
        issue={problem?.issueOf('roles')}
      />
      <TextAreaField
        label={t.metadata}
        hint={t.metadataHint}
        placeholder={'{ "plan": "pro" }'}
        value={draft.metadata}
        onValue={(metadata) => change({ metadata })}
        issue={metadataIssue ?? problem?.issueOf('metadata')}
      />
      {!isInvited && (
        <CheckField
          label={t.isActive}
          hint={t.isActiveHint}
          checked={draft.isActive}
          onChecked={(isActive) => change({ isActive })}
        />
      )}
    </>
  )
}
