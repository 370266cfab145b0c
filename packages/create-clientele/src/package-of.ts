import type { Choices } from './choices.ts'

const typesOf: Record<Choices['framework'], string[]> = {
  express: ['@types/express'],
  fastify: [],
  koa: ['@types/koa'],
  hono: [],
}
const needsOf: Record<Choices['framework'], string[]> = {
  express: ['express'],
  fastify: ['fastify'],
  koa: ['koa'],
  hono: ['hono', '@hono/node-server'],
}
const needsOfSite: Record<Choices['framework'], string[]> = {
  express: ['cookie-parser'],
  fastify: ['@fastify/cookie', '@fastify/formbody'],
  koa: ['@koa/bodyparser'],
  hono: [],
}
const adapterOf: Record<Choices['framework'], string> = {
  express: '@clientele/express',
  fastify: '@clientele/fastify',
  koa: '@clientele/koa',
  hono: '@clientele/fetch',
}

/** The package.json of an app, with the versions of `versions`. */
export function packageOf(name: string, chosen: Choices, versions: Record<string, string>): object {
  const { framework, database, language, pages } = chosen
  const isTyped = language === 'typescript'
  const driver = database === 'sqlite' ? 'better-sqlite3' : 'pg'
  const rest = pages === 'site' ? needsOfSite[framework] : [adapterOf[framework]]
  const types = [
    ...typesOf[framework],
    ...(rest.includes('cookie-parser') ? ['@types/cookie-parser'] : []),
  ]
  const script = `src/server.${isTyped ? 'ts' : 'js'}`
  return {
    name,
    version: '0.0.0',
    private: true,
    type: 'module',
    engines: { node: isTyped ? '^22.18.0 || >=23.6.0' : '^22.14.0 || >=23.6.0' },
    scripts: {
      start: `node --env-file-if-exists=.env ${script}`,
      ...(isTyped ? { check: 'tsc' } : {}),
    },
    dependencies: pick(['@clientele/core', driver, ...needsOf[framework], ...rest], versions),
    ...(isTyped
      ? { devDependencies: pick(['typescript', '@types/node', ...types], versions) }
      : {}),
  }
}

function pick(names: string[], versions: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    names.toSorted().map((name) => {
      const version = versions[name]
      if (version === undefined) throw new Error(`There is no version of ${name}.`)
      return [name, version]
    }),
  )
}
