import type { Clientele } from '@clientele/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openClientele } from '../keys/open-clientele.ts'

/** Names of secrets */
const secretNames =
  /^(token|tokens|secret|password|password_hash|challenge|recovery_codes|otpauth_uri|qr_svg)$|_token$/
/** The challenge of WebAuthn is public: the browser shows it to the authenticator's page. */
const publicPlaces = ['PasskeyRequestOptions.challenge', 'PasskeyCreationOptions.challenge']

let clientele: Clientele
beforeAll(async () => {
  clientele = await openClientele('sqlite::memory:')
})
afterAll(() => clientele.close())

interface Place {
  /** `SignedIn.data.token` */
  path: string
  name: string
  schema: Record<string, unknown>
}

/** Every member of a schema, at any depth; of a list, its items */
function listMembers(schema: unknown, path: string, name = ''): Place[] {
  const { properties, items, anyOf, additionalProperties, type } = Object(schema)
  const below = [
    ...Object.entries(Object(properties)).flatMap(([each, part]) =>
      listMembers(part, `${path}.${each}`, each),
    ),
    ...[anyOf, items, additionalProperties]
      .flat()
      .filter(Boolean)
      .flatMap((each) => listMembers(each, path, name)),
  ]
  return type === 'string' ? [...below, { path, name, schema: Object(schema) }] : below
}

test('each secret in the document has the mark of one, and nothing else does', async () => {
  const { components } = await clientele.openApi()
  const places = Object.entries(components.schemas).flatMap(([name, schema]) =>
    listMembers(schema, name),
  )
  const marked = places.filter(({ schema }) => schema.format === 'password')
  const expected = places.filter(
    ({ path, name }) => secretNames.test(name) && !publicPlaces.includes(path),
  )
  expect(marked.map(({ path }) => path)).toEqual(expected.map(({ path }) => path))
  expect(marked.length).toBeGreaterThan(35)
})
