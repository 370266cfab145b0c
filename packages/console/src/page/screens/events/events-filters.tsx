import type { JSX } from 'preact'
import { english } from '../../english.ts'
import { Button } from '../../ui/button.tsx'
import { Field, SelectField } from '../../ui/field.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { eventGroupNames, eventGroups } from './event-types.ts'
import { type EventsQuery, goTo } from './events-query.ts'

const t = english.events

const actors = [
  { value: '', label: t.anyActor },
  ...(['api_key', 'user', 'operator', 'system'] as const).map((value) => ({
    value,
    label: t.actors[value],
  })),
]

/** The filters of the feed. */
export function EventsFilters({
  shown,
  issue,
}: {
  shown: EventsQuery
  /** The error of the user field */
  issue: string | undefined
}): JSX.Element {
  const isFiltered = shown.type !== '' || shown.actor !== '' || shown.about !== ''
  return (
    <search class="toolbar">
      <SearchField
        label={t.about}
        hint={t.aboutHint}
        text={shown.about}
        onText={(about) => goTo({ about })}
        issue={issue}
      />
      <Field label={t.type}>
        {(control) => (
          <select
            {...control}
            value={shown.type}
            onChange={({ currentTarget }) => goTo({ type: currentTarget.value })}
          >
            <option value="">{t.anyType}</option>
            {eventGroupNames.map((group) => (
              <optgroup key={group} label={t.groups[group]}>
                <option value={group}>{t.allOf(t.groups[group])}</option>
                {eventGroups[group].map((type) => (
                  <option key={type} value={type}>
                    {type}
                  </option>
                ))}
              </optgroup>
            ))}
          </select>
        )}
      </Field>
      <SelectField
        label={t.actor}
        value={shown.actor}
        choices={actors}
        onValue={(actor) => goTo({ actor })}
      />
      {isFiltered && (
        <Button kind="quiet" icon="close" onClick={() => goTo({ type: '', actor: '', about: '' })}>
          {t.clear}
        </Button>
      )}
    </search>
  )
}
