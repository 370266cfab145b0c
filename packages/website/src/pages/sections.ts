/** The pages of one heading of the side bar, as they are in the repository. */
export interface PlannedSection {
  title: string
  /** In this order, where they exist */
  sources: readonly string[]
  /** Headings of pages that stand elsewhere, too: the page, and a pattern of the heading */
  parts?: readonly (readonly [source: string, heading: RegExp])[]
  /** A pattern of paths: a file that no section names stands here, behind the others */
  others?: string
}

const guides = 'packages/core/guides'
const own = 'packages/website/pages'
const frameworks = ['express', 'fastify', 'koa', 'fetch', 'next', 'server']
const origins = [
  'auth0',
  'clerk',
  'firebase',
  'supabase',
  'keycloak',
  'better-auth',
  'lucia',
  'auth-js',
]

/** The side bar, from the top. The reference stands between what leads to it and what is asked last. */
export const sectionsBeforeReference: readonly PlannedSection[] = [
  {
    title: 'Why and comparison',
    sources: [`${own}/why.md`, `${own}/comparison.md`],
    others: `${own}/*.md`,
  },
  {
    title: 'Quick start',
    sources: [
      `${guides}/quick-start.md`,
      ...frameworks.map((name) => `${own}/quick-start/${name}.md`),
      `${guides}/nestjs.md`,
    ],
    others: `${own}/quick-start/*.md`,
  },
  { title: 'Concepts', sources: [`${own}/concepts.md`, `${guides}/typed-users.md`] },
  {
    title: 'Signing in',
    sources: [
      `${guides}/signing-in.md`,
      `${guides}/cookies.md`,
      `${guides}/invitations.md`,
      `${guides}/email-changes.md`,
      `${guides}/impersonation.md`,
      `${guides}/user-tokens.md`,
      `${guides}/scim.md`,
      `${guides}/hooks.md`,
      `${guides}/sessions.md`,
    ],
  },
  {
    title: 'Passkeys, second factors, Google and Entra',
    sources: [`${guides}/passkeys.md`, `${guides}/second-factors.md`],
    parts: [
      [`${guides}/signing-in.md`, /second factor/i],
      [`${guides}/signing-in.md`, /google/i],
    ],
  },
  {
    title: 'Recipes for tenants',
    sources: [
      `${own}/recipes.md`,
      `${guides}/tenants.md`,
      `${guides}/account-policy.md`,
      `${guides}/transactions.md`,
      `${guides}/testing.md`,
    ],
  },
  {
    title: 'Events, webhooks',
    sources: [`${guides}/events.md`, `${guides}/webhooks.md`, `${guides}/auditing.md`],
  },
  { title: 'Personal data', sources: [`${guides}/personal-data.md`] },
  { title: 'Validating elsewhere', sources: [`${guides}/validating-tokens.md`] },
  {
    title: 'Operations',
    sources: [
      ...['postgresql', 'kysely', 'several-processes', 'behind-a-proxy', 'observability'],
      ...['capacity', 'console', 'mcp', 'upgrading'],
    ].map((name) => `${guides}/${name}.md`),
    others: `${guides}/*.md`,
  },
  {
    title: 'Coming from …',
    sources: [
      ...origins.map((name) => `${own}/coming-from/${name}.md`),
      `${guides}/importing-users.md`,
    ],
    others: `${own}/coming-from/*.md`,
  },
]

export const referenceSources: readonly string[] = [`${guides}/http.md`, 'packages/core/ERRORS.md']

const packages = [
  'core',
  'express',
  'fastify',
  'koa',
  'fetch',
  'client',
  'validator',
  'console',
  'scim',
  'cli',
]

export const sectionsAfterReference: readonly PlannedSection[] = [
  {
    title: 'Packages',
    sources: packages.map((name) => `packages/${name}/README.md`),
    others: 'packages/*/README.md',
  },
  { title: 'FAQ', sources: [`${own}/faq.md`] },
  { title: 'Security', sources: ['SECURITY.md'] },
  { title: 'Support policy', sources: [`${own}/support-policy.md`, 'CONTRIBUTING.md'] },
]

/** The home page: it stands in no section. */
export const homeSource = `${own}/index.md`

/** `packages/core/guides/passkeys.md` is at `/guides/passkeys/`. */
export function routeOf(source: string): string {
  if (source === 'packages/core/ERRORS.md') return '/problem/'
  const name = source
    .replace(`${own}/`, '')
    .replace(`${guides}/`, 'guides/')
    .replace(/\.md$/, '')
    .replace(/(^|\/)(index|README)$/, '')
    .toLowerCase()
  return name === '' ? '/' : `/${name}/`
}
