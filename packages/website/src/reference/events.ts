import { z } from 'zod'
import {
  definitionOf,
  type EventType,
  eventTypeNames,
} from '../../../core/src/capabilities/events/event-types.ts'
import type { Page } from '../pages/page.ts'
import { nameSchema } from './describe-schema.ts'
import { escapeCell, joinParts, toCode, toTable } from './markdown.ts'
import type { Schema } from './read-operations.ts'

const people = {
  user: '`user`: the user after the change',
  identity: '`user`, `issuer` and `subject` of the identity',
  reason: '`user`, and the `reason` in the words of the caller',
  scopes: "the scopes of a token of the user's own (`scopes`)",
  email: '`email`: the address that was typed',
}

/** Every type of event, with the members of its `data` as HTTP and webhooks send them. */
export function describeEvents(): Page {
  return {
    route: '/reference/events/',
    title: 'Types of events',
    text: joinParts(
      '# Types of events',
      'The `type` of an event says what `data` has. In process the names are in camelCase and times are `Date`s; over HTTP ' +
        'and in webhooks they are as they stand here. An erasure removes the personal part of `data` and leaves the event.',
      ...eventTypeNames.map(describeEvent),
    ),
  }
}

function describeEvent(type: EventType): string {
  const { subject, person, data } = definitionOf(type)
  const schema: Schema = JSON.parse(
    JSON.stringify(
      z.toJSONSchema(z.object(data), {
        unrepresentable: 'any',
        override: ({ zodSchema, jsonSchema }) => {
          if (zodSchema._zod.def.type !== 'date') return
          jsonSchema.type = 'string'
          jsonSchema.format = 'date-time'
        },
      }),
    ),
  )
  const rows = Object.entries(schema.properties ?? {}).map(([name, member]) => [
    toCode(toSnake(name) + (schema.required?.includes(name) === true ? '' : '?')),
    nameSchema(member),
    escapeCell(member.description ?? ''),
  ])
  return joinParts(
    `## ${type}`,
    `Subject: \`${subject}\`. ${person === undefined ? 'No personal data.' : `Personal: ${people[person]}.`}`,
    toTable(['member of `data`', 'type', ''], rows),
  )
}

const toSnake = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
