import type { JSX } from 'preact'
import { english } from '../../english.ts'
import { Badge } from '../../ui/badge.tsx'
import { describeBounds, nameType } from './describe-schema.ts'
import { Markup } from './markup.tsx'
import { nameOf, type OpenApi, resolve, type Schema } from './open-api.ts'

const t = english.reference.schema

/** The members of an object, with their types; members that have members can be opened. */
export function SchemaView({
  document,
  schema,
  within = [],
}: {
  document: OpenApi
  schema: Schema
  /** The names of the schemas around it: a recursive schema is shown once */
  within?: readonly string[]
}): JSX.Element {
  const found = resolve(document, schema)
  const name = nameOf(schema)
  const around = name === undefined ? within : [...within, name]
  const choices = found.anyOf ?? found.oneOf
  if (choices) {
    return (
      <div class="stack">
        {choices.map((choice, index) => (
          <div key={index} class="schema-choice">
            <p class="muted small">{t.choice(index + 1, choices.length, nameType(choice))}</p>
            <SchemaView document={document} schema={choice} within={around} />
          </div>
        ))}
      </div>
    )
  }
  if (found.type === 'array' && found.items) {
    return (
      <>
        <p class="muted small">{nameType(found)}</p>
        <SchemaView document={document} schema={found.items} within={around} />
      </>
    )
  }
  const members = Object.entries(found.properties ?? {})
  if (members.length === 0) return <p class="muted">{nameType(found)}</p>
  return (
    <ul class="schema">
      {members.map(([member, inner]) => (
        <Member
          key={member}
          name={member}
          isRequired={found.required?.includes(member) ?? false}
          {...{ document, schema: inner, within: around }}
        />
      ))}
    </ul>
  )
}

function Member({
  document,
  name,
  schema,
  isRequired,
  within,
}: {
  document: OpenApi
  name: string
  schema: Schema
  isRequired: boolean
  within: readonly string[]
}): JSX.Element {
  const found = resolve(document, schema)
  const inner = findInner(document, schema)
  const isRepeated = inner !== undefined && within.includes(nameOf(inner) ?? '')
  return (
    <li>
      <p class="schema-head">
        <code class="schema-name">{name}</code>
        <span class="muted small">{nameType(schema)}</span>
        {isRequired && <Badge kind="accent">{t.required}</Badge>}
        {found.readOnly && <Badge>{t.readOnly}</Badge>}
      </p>
      <SchemaText schema={found} />
      {inner !== undefined && !isRepeated && (
        <details class="schema-inner">
          <summary>{t.membersOf(nameOf(inner) ?? name)}</summary>
          <SchemaView document={document} schema={inner} within={within} />
        </details>
      )}
    </li>
  )
}

/** The constraints of a value besides its type. */
export function SchemaText({ schema }: { schema: Schema }): JSX.Element {
  const bounds = describeBounds(schema)
  return (
    <>
      {schema.description && (
        <p class="small">
          <Markup text={schema.description} />
        </p>
      )}
      {bounds !== '' && <p class="muted small">{bounds}</p>}
      {schema.enum && schema.type !== 'boolean' && (
        <p class="muted small enum">
          {t.oneOf}{' '}
          {schema.enum.map((value) => (
            <code key={String(value)}>{String(value)}</code>
          ))}
        </p>
      )}
    </>
  )
}

/** The schema whose members are shown below a member. */
function findInner(document: OpenApi, schema: Schema): Schema | undefined {
  const found = resolve(document, schema)
  if (found.properties && Object.keys(found.properties).length > 0) return schema
  const choices = found.anyOf ?? found.oneOf
  if (choices) {
    const objects = choices.filter((choice) => findInner(document, choice) !== undefined)
    return objects.length > 1 ? schema : objects[0]
  }
  return found.items && findInner(document, found.items)
}
