import type { JSX } from 'preact'
import { useId, useState } from 'preact/hooks'
import type { Problem } from '../../api/problem.ts'
import { english } from '../../english.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Notice, ProblemNotice } from '../../ui/problem-notice.tsx'
import { compareDrafts, type Difference, mergeDrafts } from './compare-drafts.ts'
import type { UserDraft } from './user-draft.ts'

const t = english.user.conflict

/** Two versions of a user side by side, with a choice for each field that differs. */
export function UserConflict({
  base,
  mine,
  theirs,
  problem,
  isSaving,
  onSave,
  onEdit,
}: {
  base: UserDraft
  mine: UserDraft
  theirs: UserDraft
  problem: Problem | undefined
  isSaving: boolean
  onSave: (merged: UserDraft) => void
  onEdit: (merged: UserDraft) => void
}): JSX.Element {
  const differences = compareDrafts(base, mine, theirs)
  const [kept, setKept] = useState(() =>
    differences.filter(({ changedBy }) => changedBy !== 'them').map(({ field }) => field),
  )
  const merged = mergeDrafts(mine, theirs, kept)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onSave(merged)
      }}
    >
      <div class="dialog-body">
        <Notice kind="warn">{differences.length === 0 ? t.same : t.text}</Notice>
        {differences.map((difference) => (
          <FieldChoice
            key={difference.field}
            difference={difference}
            mine={mine}
            theirs={theirs}
            isMine={kept.includes(difference.field)}
            onMine={(isMine) => {
              const others = kept.filter((field) => field !== difference.field)
              setKept(isMine ? [...others, difference.field] : others)
            }}
          />
        ))}
        <ProblemNotice problem={problem} />
      </div>
      <footer>
        <Button onClick={() => onEdit(merged)}>{t.goOn}</Button>
        <Button type="submit" kind="primary" isBusy={isSaving}>
          {t.save}
        </Button>
      </footer>
    </form>
  )
}

function FieldChoice({
  difference: { field, changedBy },
  mine,
  theirs,
  isMine,
  onMine,
}: {
  difference: Difference
  mine: UserDraft
  theirs: UserDraft
  isMine: boolean
  onMine: (isMine: boolean) => void
}): JSX.Element {
  const name = useId()
  const side = (ofMine: boolean) => (
    <label class="side-choice">
      <input type="radio" name={name} checked={isMine === ofMine} onChange={() => onMine(ofMine)} />
      <span>
        <strong>{ofMine ? t.mine : t.theirs}</strong>
        <FieldValue draft={ofMine ? mine : theirs} field={field} />
      </span>
    </label>
  )
  return (
    <fieldset class="choice">
      <legend>
        {english.users[field]} <Badge kind="warn">{t.changedBy[changedBy]}</Badge>
      </legend>
      <div class="pair">
        {side(true)}
        {side(false)}
      </div>
    </fieldset>
  )
}

function FieldValue({
  draft,
  field,
}: {
  draft: UserDraft
  field: Difference['field']
}): JSX.Element {
  if (field === 'isActive') {
    return <span>{draft.isActive ? english.words.yes : english.words.no}</span>
  }
  const value = field === 'roles' ? draft.roles.join('\n') : draft[field]
  if (value === '') return <span class="muted">{t.empty}</span>
  return field === 'metadata' ? <pre>{value}</pre> : <span class="lines">{value}</span>
}
