import { createClientele } from '@clientele/core'
import { sqlite } from '@clientele/core/sqlite'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { makeTools } from '../../packages/cli/src/mcp/api-tool.ts'
import { hasSecret, mask, maskSecrets } from '../../packages/cli/src/mcp/mask-secrets.ts'

const folder = z.object({
  name: z.string(),
  get parts() {
    return z.array(folder)
  },
})

test("a tool has the host's own metadata, also where its schema contains itself", async () => {
  const clientele = await createClientele({
    repository: sqlite({ filename: ':memory:' }),
    metadata: z.object({ root: folder }),
  })
  const { tools, leftOut } = makeTools(await clientele.openApi())
  const { inputSchema } = tools.get('createUser')?.tool ?? {}
  const [name = ''] = Object.keys(Object(inputSchema?.$defs))
  expect(inputSchema).toMatchObject({
    properties: {
      body: { properties: { metadata: { properties: { root: expect.anything() } } } },
    },
    $defs: { [name]: { properties: { parts: { items: { $ref: `#/$defs/${name}` } } } } },
  })
  expect(JSON.stringify(inputSchema)).not.toContain('#/components')
  expect(leftOut).toContain('exportUsers')
  await clientele.close()
})

const secret = { type: 'string', format: 'password' }
const tree = {
  type: 'object',
  properties: {
    key: secret,
    children: { type: 'array', items: { $ref: '#/components/schemas/Tree' } },
  },
}
/** The parts of a document that are looked at */
function documentOf(schemas: Record<string, Record<string, unknown>>) {
  const components = { schemas, headers: {}, examples: {}, securitySchemes: {} }
  const info = { title: 'Trees', version: '1' }
  return { openapi: '3.1.1', info, servers: [], security: [], tags: [], paths: {}, components }
}
const document = documentOf({ Tree: tree })

test('a secret is masked at any depth, and wherever one of the alternatives has it', () => {
  const value = { key: 'a', children: [{ key: 'b', children: [] }], name: 'c' }
  const masked = { key: mask, children: [{ key: mask, children: [] }], name: 'c' }
  const named = { $ref: '#/components/schemas/Tree' }
  expect(maskSecrets(value, named, document)).toEqual(masked)
  const other = { type: 'object', properties: { key: { type: 'string' } } }
  expect(maskSecrets(value, { oneOf: [other, named] }, document)).toEqual(masked)
  expect(maskSecrets({ a: 'b' }, { additionalProperties: secret }, document)).toEqual({ a: mask })
  expect(maskSecrets({ key: null }, named, document)).toEqual({ key: null })
  expect(hasSecret({ type: 'array', items: named }, document)).toBe(true)
  expect(hasSecret(other, document)).toBe(false)
})
