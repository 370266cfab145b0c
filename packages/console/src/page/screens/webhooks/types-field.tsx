import type { JSX } from 'preact'
import { useId, useState } from 'preact/hooks'
import { english } from '../../english.ts'
import { ListField } from '../../ui/list-field.tsx'
import { typeGroups } from './webhook-draft.ts'

const t = english.webhooks.form

/** The field for the events that an endpoint gets: all, or groups and single types. */
export function TypesField({
  types,
  issue,
  onTypes,
}: {
  types: readonly string[]
  issue: string | undefined
  onTypes: (types: readonly string[]) => void
}): JSX.Element {
  const id = useId()
  const isAll = types.includes('*')
  const [chosen, setChosen] = useState<readonly string[]>(isAll ? ['user.*'] : types)
  const isGroup = (type: string) => typeGroups.some((group) => group === type)
  const choose = (next: readonly string[]) => {
    setChosen(next)
    onTypes(next)
  }
  return (
    <fieldset class="choices" aria-describedby={issue ? `${id}-issue` : undefined}>
      <legend>{t.types}</legend>
      <label class="radio">
        <input type="radio" name={id} checked={isAll} onChange={() => onTypes(['*'])} />
        {t.everything}
      </label>
      <label class="radio">
        <input type="radio" name={id} checked={!isAll} onChange={() => onTypes(chosen)} />
        {t.chosen}
      </label>
      {!isAll && (
        <div class="stack indented">
          <div class="type-groups">
            {typeGroups.map((group) => (
              <label key={group} class="radio">
                <input
                  type="checkbox"
                  checked={chosen.includes(group)}
                  onChange={({ currentTarget }) =>
                    choose(
                      currentTarget.checked
                        ? [...chosen, group]
                        : chosen.filter((type) => type !== group),
                    )
                  }
                />
                <code>{group}</code>
              </label>
            ))}
          </div>
          <ListField
            label={t.single}
            placeholder="user.logged_in"
            values={chosen.filter((type) => !isGroup(type))}
            onValues={(singles) => choose([...chosen.filter(isGroup), ...singles])}
          />
        </div>
      )}
      {issue && (
        <p class="issue" id={`${id}-issue`}>
          {issue}
        </p>
      )}
    </fieldset>
  )
}
