import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { english } from '../../english.ts'
import { Button } from '../../ui/button.tsx'
import { type Choice, Field, SelectField } from '../../ui/field.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import {
  goTo,
  isFiltered,
  noFilters,
  pageSizes,
  type UserSort,
  type UsersQuery,
} from './users-query.ts'

const t = english.users.filters

const states: readonly Choice<UsersQuery['state']>[] = [
  { value: '', label: t.anyState },
  { value: 'active', label: english.users.active },
  { value: 'inactive', label: english.users.inactive },
]
const sorts: readonly Choice<UserSort>[] = [
  { value: '-created_at', label: t.newest },
  { value: 'created_at', label: t.oldest },
  { value: 'name', label: t.byName },
  { value: '-name', label: t.byNameDown },
  { value: 'email', label: t.byEmail },
  { value: '-email', label: t.byEmailDown },
]
const sizes = pageSizes.map((value) => ({ value, label: value }))

/** The filters of the list, which are in the page's address. */
export function UsersFilters({ shown }: { shown: UsersQuery }): JSX.Element {
  const [isOpen, setOpen] = useState(shown.from !== '' || shown.to !== '')
  return (
    <search>
      <div class="toolbar">
        <SearchField
          label={t.search}
          hint={t.searchHint}
          text={shown.q}
          onText={(q) => goTo({ q })}
        />
        <SearchField
          label={t.role}
          hint={t.anyRole}
          text={shown.role}
          onText={(role) => goTo({ role })}
        />
        <SelectField
          label={t.state}
          value={shown.state}
          choices={states}
          onValue={(state) => goTo({ state })}
        />
        <SelectField
          label={t.sort}
          value={shown.sort}
          choices={sorts}
          onValue={(sort) => goTo({ sort })}
        />
        <SelectField
          label={t.limit}
          value={shown.limit}
          choices={sizes}
          onValue={(limit) => goTo({ limit })}
        />
        <Button icon="filter" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {t.created}
        </Button>
        {isFiltered(shown) && (
          <Button kind="quiet" icon="close" onClick={() => goTo(noFilters)}>
            {english.users.clear}
          </Button>
        )}
      </div>
      {isOpen && (
        <div class="toolbar dates">
          <DayField label={t.from} value={shown.from} onValue={(from) => goTo({ from })} />
          <DayField label={t.to} value={shown.to} onValue={(to) => goTo({ to })} />
        </div>
      )}
    </search>
  )
}

function DayField({
  label,
  value,
  onValue,
}: {
  label: string
  value: string
  onValue: (day: string) => void
}): JSX.Element {
  return (
    <Field label={label}>
      {(control) => (
        <input
          type="date"
          {...control}
          value={value}
          onChange={(event) => onValue(event.currentTarget.value)}
        />
      )}
    </Field>
  )
}
