import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCommand } from '../support/run-command.ts'
import { runsEveryTest } from '../support/slow-tests.ts'
import { cliScript, type RunningProcess, startProcess } from '../support/start-process.ts'
import { examplePages } from './document-pages.ts'
import { root } from './source-files.ts'

// What the guide about importing says is run by import/guide.test.ts, with data of its own.
const pages = examplePages.filter((page) => !page.endsWith('importing-users.md'))

function readShellBlocks(page: string): string {
  const text = readFileSync(join(root, page), 'utf8')
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block).join('\n')
}

/**
 * The programs that the pages name. The database's own (pg_dump, sqlite3 and the like) are not on every machine: that
 * they are named with arguments is all that is asked of them. npm has installed and started everything before: the tests
 * of the tarballs install what the READMEs say.
 */
const prelude = `
set -euo pipefail
clientele() {
  # The database of the pages has no extension: all that can be tried is that the option is known.
  case "$*" in 'migrate --distribute') set -- migrate --help; esac
  "$NODE" "$CLI" "$@"
}
# A server runs already: without a command, nothing is to be done.
npx() { [ "$1" = clientele ]; shift; [ $# -eq 0 ] || clientele "$@"; }
# What it creates is tried in create/apps, and what the pages' programs do where they are run.
npm() { case "$1" in install | start | test | pkg) ;; create) mkdir -p "$3" ;; *) echo "npm $* is not known here" >&2; return 1 ;; esac; }
node() { [ $# -gt 0 ]; }
git() { mkdir -p "$(basename "$2")"; }
curl() { command curl --silent --show-error --fail-with-body --output answer.json "\${@//127.0.0.1:3000/$ADDRESS}"; cat answer.json; echo; }
for program in pg_dump pg_restore createdb sqlite3; do
  eval "$program() { [ \\$# -gt 0 ] && echo $program; }"
done
`

/** What a reader puts in the places that the pages leave open. */
function fill(script: string): string {
  return script
    .replaceAll('cu_live_…', '$KEY')
    .replaceAll('eyJ…', `$("$NODE" -p "$READ_TOKEN")`)
    .replaceAll(/\b([A-Z_]+)=019d…/g, '$1="$$$1"')
    .replaceAll(/\b(POSTGRES_URL|DRILL_URL)=postgres:\S+/g, '$1="$$$1"')
    .replace('npm run --silent clientele --', 'npx clientele')
}

let folder: string
let server: RunningProcess
let environment: Record<string, string>
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'clientele-pages-'))
  const file = (name: string) => `sqlite:${join(folder, name)}`
  server = startProcess(cliScript, [], { PORT: '0', DATABASE_URL: file('server.sqlite') }, folder)
  const [, address = ''] = await server.waitFor(/^Listening on http:\/\/([^/]+)\/api\/v1$/m)
  const [, key = ''] = await server.waitFor(/^API key: (cu_live_\w+)$/m)
  const account = await createAccount(file('users.sqlite'))
  environment = {
    PATH: process.env.PATH ?? '',
    NODE: process.execPath,
    CLI: cliScript,
    ADDRESS: address,
    KEY: key,
    API_KEY: key,
    ACCOUNT_ID: await findAccount(file('server.sqlite')),
    USER_ID: await createUser(address, key),
    READ_TOKEN: 'JSON.parse(fs.readFileSync("answer.json")).data?.token ?? "none"',
    DATABASE_URL: file('users.sqlite'),
    ACCOUNT: account,
    // The pages move an account to another database; which one is all the same to the commands.
    POSTGRES_URL: file('other.sqlite'),
    NEW_ACCOUNT: await createAccount(file('other.sqlite')),
    DRILL_URL: file('users.sqlite'),
  }
})
afterAll(async () => {
  server.child.kill('SIGTERM')
  await server.ended
  await rm(folder, { recursive: true })
})

async function createAccount(url: string): Promise<string> {
  const args = ['account', 'create', '--name', 'Acme', '--json']
  const { output } = await runCommand(args, { DATABASE_URL: url })
  const { account }: { account: { id: string } } = JSON.parse(output)
  return account.id
}

async function createUser(address: string, key: string): Promise<string> {
  const response = await fetch(`http://${address}/api/v1/client/user`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: '{"name":"Grace Hopper","email":"grace@example.com","password":"a page of commands"}',
  })
  const { id }: { id: string } = JSON.parse(await response.text())
  return id
}

async function findAccount(url: string): Promise<string> {
  const { output } = await runCommand(['account', 'list', '--json'], { DATABASE_URL: url })
  const { accounts }: { accounts: [{ id: string }] } = JSON.parse(output)
  return accounts[0].id
}

async function runScript(script: string): Promise<{ code: number | null; output: string }> {
  const file = join(folder, 'page.sh')
  await writeFile(file, prelude + script)
  const child = spawn('bash', [file], { cwd: folder, env: environment })
  let output = ''
  const keep = (chunk: Buffer) => {
    output += chunk
  }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { code, output }
}

describe('the commands of the pages', () => {
  // The quick starts of the site are put together when it is built: website/quick-starts runs them.
  const written = pages.filter((page) => !page.startsWith('packages/website/pages/quick-start/'))
  const withCommands = written.filter((page) => readShellBlocks(page) !== '')
  // Each command is a process: by default the two pages that most readers begin with are tried.
  const tried = runsEveryTest ? withCommands : ['README.md', 'packages/cli/README.md']

  test('are found', () => {
    expect(withCommands).toEqual(expect.arrayContaining(['README.md', 'packages/cli/README.md']))
  })

  test.each(tried)('%s', async (page) => {
    const { code, output } = await runScript(fill(readShellBlocks(page)))
    expect(code, output).toBe(0)
    if (page === 'packages/cli/README.md') expect(output).toMatch(/"isValid":true/)
  })

  test('fail when one of them does', async () => {
    const { code } = await runScript('clientele account lost\n')
    expect(code).toBe(2)
    expect(existsSync(cliScript)).toBe(true)
  })
})
