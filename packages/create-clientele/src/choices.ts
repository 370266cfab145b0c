/** The values of each option, the default first, with their texts in the questions. */
export const choices = {
  framework: { express: 'Express', fastify: 'Fastify', koa: 'Koa', hono: 'Hono' },
  database: {
    sqlite: 'SQLite: one file, one process',
    postgresql: 'PostgreSQL: several processes',
  },
  language: { typescript: 'TypeScript', javascript: 'JavaScript' },
  pages: {
    site: 'A site: sign-in page, sessions in cookies, second factor, a protected route',
    routes: 'Routes only: the API for your customers, and a guard for a route of yours',
  },
} as const

export type Choices = { [Name in keyof typeof choices]: keyof (typeof choices)[Name] }

export const questions: { [Name in keyof Choices]: string } = {
  framework: 'Which framework?',
  database: 'Which database?',
  language: 'Which language?',
  pages: 'What should it have?',
}

export const choiceNames: readonly (keyof Choices)[] = [
  'framework',
  'database',
  'language',
  'pages',
]

export const defaults: Choices = {
  framework: 'express',
  database: 'sqlite',
  language: 'typescript',
  pages: 'site',
}
