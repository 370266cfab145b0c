import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './source-files.ts'

// A name that is added or lost here is a change that users notice.
const names: Record<string, string[]> = {
  '@clientele/core': ['ClienteleError', 'createClientele', 'pwnedPasswords'],
  '@clientele/core/node': ['clienteleListener', 'sendProblem', 'sendResponse'],
  '@clientele/core/node-version': ['assertNodeVersion'],
  '@clientele/core/sqlite': ['sqlite'],
  '@clientele/core/postgres': ['postgres'],
  '@clientele/express': ['clienteleRoutes', 'requireUser'],
  '@clientele/fastify': ['clienteleRoutes', 'requireUser'],
  '@clientele/koa': ['clienteleRoutes', 'requireUser'],
}

test.each(Object.entries(names))('%s exports %j', async (specifier, expected) => {
  const module = (await import(specifier)) as object
  expect(Object.keys(module)).toEqual(expect.arrayContaining(expected))
})

const repository = 'https://github.com/clientele/clientele'

test.each(['core', 'express', 'fastify', 'koa', 'cli'])('%s is ready to be published', (name) => {
  const manifest = JSON.parse(
    readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'),
  ) as Record<string, unknown> // every manifest is an object
  expect(manifest).toMatchObject({
    name: `@clientele/${name}`,
    license: 'MIT',
    type: 'module',
    files: expect.arrayContaining(['dist']),
    keywords: expect.arrayContaining(['users']),
    homepage: `${repository}/tree/main/packages/${name}#readme`,
    bugs: `${repository}/issues`,
    repository: { type: 'git', url: `git+${repository}.git`, directory: `packages/${name}` },
  })
  expect(manifest.private).toBeUndefined()
})
