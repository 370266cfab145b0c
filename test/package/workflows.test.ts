import { existsSync, globSync, readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { root } from './source-files.ts'

// Nothing here runs a workflow: GitHub's own parser reads them, and what they call is looked for.

const folder = join(root, '.github/workflows')
const names = globSync('*.yml', { cwd: folder }).sort()
const read = (name: string): string => readFileSync(join(folder, name), 'utf8')

// The parser imports JSON without saying so, which Node refuses.
const hooks = registerHooks({
  load: (url, context, next) =>
    next(url, url.endsWith('.json') ? { ...context, importAttributes: { type: 'json' } } : context),
})
const { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } = await import(
  '@actions/workflow-parser'
)
hooks.deregister()

/** The faults that GitHub's parser finds, in expressions too. */
async function findFaults(name: string, content: string): Promise<string[]> {
  const { context, value } = parseWorkflow({ name, content }, new NoOperationTraceWriter())
  if (value !== undefined) await convertWorkflowTemplate(context, value)
  return context.errors.getErrors().map(({ message }) => message)
}

test('there are workflows for tests and for a release', () => {
  expect(names).toEqual(['release.yml', 'test.yml'])
})

describe.each(names)('%s', (name) => {
  test('GitHub can read it', async () => {
    expect(await findFaults(name, read(name))).toEqual([])
  })

  test.each([
    ['a key that does not exist', 'runs-on: ubuntu-latest', 'run-on: ubuntu-latest'],
    ['an expression that does not end', 'github.', 'github.('],
    ['a permission that does not exist', 'contents: read', 'content: read'],
  ])('%s would be found', async (_, from, to) => {
    const text = read(name).includes(from)
      ? read(name)
      : `${read(name)}\n    name: \${{ ${from}ref }}`
    expect(await findFaults(name, text.replace(from, to))).not.toEqual([])
  })

  test('every action is pinned by its commit, and the comment says the version', () => {
    const used = [...read(name).matchAll(/^.*\buses: *(.*)$/gm)].map(([, action = '']) => action)
    expect(used.length).toBeGreaterThan(0)
    for (const action of used) {
      if (action.startsWith('./')) expect(existsSync(join(root, action))).toBe(true)
      else expect(action).toMatch(/^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
    }
  })

  test('it has no secrets, and may write nothing unless a job says so', () => {
    expect(read(name)).not.toMatch(/\bsecrets\b/)
    const { permissions } = parse(read(name))
    expect(Object.values(permissions)).not.toContain('write')
    // A checkout leaves no token behind for what runs after it.
    const checkouts = read(name).split('actions/checkout@').slice(1)
    for (const after of checkouts) {
      expect(after.split('\n').slice(0, 3).join('\n')).toContain('persist-credentials: false')
    }
  })

  test('what it runs is there', () => {
    const { tasks } = readTasks()
    const commands = [...read(name).matchAll(/(?:run|script): (node|bash) (.*)$/gm)]
    expect(commands.length).toBeGreaterThan(0)
    for (const [, program, words = ''] of commands) {
      const [file = '', task = '', tool = ''] = words.split(' ')
      expect(existsSync(join(root, file)), file).toBe(true)
      if (program === 'node') expect(tasks).toContain(task)
      if (task === 'exec') expect(existsSync(join(root, 'test/node_modules/.bin', tool))).toBe(true)
    }
  })
})

/** The tasks that run.mjs has. */
function readTasks(): { tasks: string[] } {
  const [, table = ''] =
    /const tasks = \{\n(.*?)\n\}/s.exec(readFileSync(join(root, 'run.mjs'), 'utf8')) ?? []
  return { tasks: [...table.matchAll(/^ {2}(\w+):/gm)].map(([, name = '']) => name) }
}

test('only the release may write, and only publishing may prove who it is', () => {
  const { jobs } = parse(read('release.yml'))
  const rights = Object.entries<{ permissions?: Record<string, string> }>(jobs).map(
    ([job, { permissions = {} }]) => [
      job,
      Object.keys(permissions).filter((right) => permissions[right] === 'write'),
    ],
  )
  expect(Object.fromEntries(rights)).toEqual({
    test: [],
    changesets: [],
    version: ['contents', 'pull-requests'],
    publish: ['contents', 'id-token'],
  })
  expect(jobs.publish.needs).toContain('test')
  const publishing = jobs.publish.steps.at(-1)
  expect(publishing.env).toEqual({ PNPM_CONFIG_PROVENANCE: true })
})

test('each package has a changelog, which says what is new in its version', () => {
  const manifests = globSync('packages/*/package.json', { cwd: root })
  expect(manifests.length).toBeGreaterThan(8)
  for (const file of manifests) {
    const { name, version, files, ...rest } = JSON.parse(readFileSync(join(root, file), 'utf8'))
    if (rest.private === true) continue
    const changelog = readFileSync(join(root, dirname(file), 'CHANGELOG.md'), 'utf8')
    const [title, ...entries] = changelog.split('\n\n## ')
    expect(title, file).toBe(`# ${name}`)
    expect(
      entries.map((entry) => entry.split('\n')[0]),
      file,
    ).toContain(version)
    expect(files, file).toContain('CHANGELOG.md')
  }
})

test('the tests run on three systems, with each Node that the packages promise', () => {
  const { matrix } = parse(read('test.yml')).jobs.test.strategy
  expect(matrix).toEqual({
    os: ['ubuntu-latest', 'macos-latest', 'windows-latest'],
    node: [22, 24],
  })
  for (const file of globSync('packages/*/package.json', { cwd: root })) {
    const { engines } = JSON.parse(readFileSync(join(root, file), 'utf8'))
    if (engines) expect(engines.node, basename(file)).toMatch(/^\^22\..* \|\| >=23/)
  }
})

test('the forms of issues have labels, and an answer that is needed', () => {
  for (const file of globSync('.github/ISSUE_TEMPLATE/{bug,feature}.yml', { cwd: root })) {
    const { name, description, body } = parse(readFileSync(join(root, file), 'utf8'))
    expect([typeof name, typeof description], file).toEqual(['string', 'string'])
    const fields = body.filter(({ type }: { type: string }) => type !== 'markdown')
    for (const { type, id, attributes } of fields) {
      expect([type, typeof id, typeof attributes.label], file).toEqual([
        'textarea',
        'string',
        'string',
      ])
    }
    expect(
      fields.some((field: { validations: { required: boolean } }) => field.validations.required),
    ).toBe(true)
  }
})
