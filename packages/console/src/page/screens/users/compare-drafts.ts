import type { UserDraft } from './user-draft.ts'

type ComparedField = Exclude<keyof UserDraft, 'password'>

/** A field that two people left with different values. */
export interface Difference {
  field: ComparedField
  /** Whether only they changed it, only I did, or both of us */
  changedBy: 'me' | 'them' | 'both'
}

const fields: readonly ComparedField[] = ['name', 'email', 'roles', 'metadata', 'isActive']

/** Where my version and theirs differ, both made from the same base. */
export function compareDrafts(base: UserDraft, mine: UserDraft, theirs: UserDraft): Difference[] {
  return fields.flatMap((field): Difference[] => {
    const [was, my, their] = [base, mine, theirs].map((draft) => normalize(draft, field))
    if (my === their) return []
    return [{ field, changedBy: my === was ? 'them' : their === was ? 'me' : 'both' }]
  })
}

/** Their version, with my version of the chosen fields, and the password that I typed. */
export function mergeDrafts(
  mine: UserDraft,
  theirs: UserDraft,
  keptFields: readonly ComparedField[],
): UserDraft {
  const kept = Object.fromEntries(keptFields.map((field) => [field, mine[field]]))
  return { ...theirs, ...kept, password: mine.password }
}

/** Spaces in JSON and around texts do not count as a difference. */
function normalize(draft: UserDraft, field: ComparedField): string {
  if (field !== 'metadata') {
    const value = draft[field]
    return JSON.stringify(typeof value === 'string' ? value.trim() : value)
  }
  try {
    return JSON.stringify(JSON.parse(draft.metadata || '{}'))
  } catch {
    return draft.metadata
  }
}
