import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clientele, ImportOptions, ImportRecord, ImportResult, Wire } from '@clientele/core'
import { openClientele } from '../keys/open-clientele.ts'
import type { OpenDatabase, TestDatabase } from '../support/databases.ts'
import { type EndedCommand, runCommand } from '../support/run-command.ts'
import { cliScript, startProcess } from '../support/start-process.ts'

/** A bcrypt hash of `password` */
export const bcryptOfPassword = '$2b$04$TwHKXZQsMqZDFiook9o9ZePfuqw4e1bOBFZSGGVgyQuBGWWx0KmrG'

export const user = (number: number, more: object = {}) => ({
  email: `user${number}@example.com`,
  name: `User ${number}`,
  ...more,
})

/** Files to import into a database, by the command line and in process. */
export class ImportWorld {
  readonly database: OpenDatabase
  readonly clientele: Clientele
  readonly folder: string

  private constructor(database: OpenDatabase, clientele: Clientele, folder: string) {
    this.database = database
    this.clientele = clientele
    this.folder = folder
  }

  static async open(target: TestDatabase): Promise<ImportWorld> {
    const database = await target.open()
    const clientele = await openClientele(database.url)
    const folder = await mkdtemp(join(tmpdir(), 'clientele-import-'))
    return new ImportWorld(database, clientele, folder)
  }

  async close(): Promise<void> {
    await this.clientele.close()
    await this.database.close()
    await rm(this.folder, { recursive: true })
  }

  async newAccount(): Promise<string> {
    return (await this.clientele.accounts.create({ name: 'Acme' })).id
  }

  /** Writes a file, a line each. */
  async write(lines: readonly unknown[], name = `${randomUUID()}.ndjson`): Promise<string> {
    const file = join(this.folder, name)
    const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)))
    await writeFile(file, `${texts.join('\n')}\n`)
    return file
  }

  start(...args: string[]) {
    return startProcess(cliScript, args, { DATABASE_URL: this.database.url })
  }

  run(...args: string[]): Promise<EndedCommand> {
    return runCommand(args, { DATABASE_URL: this.database.url })
  }

  startImport(account: string, file: string, ...more: string[]) {
    return this.start('user', 'import', '--account', account, '--file', file, ...more)
  }

  runImport(account: string, file: string, ...more: string[]): Promise<EndedCommand> {
    return this.run('user', 'import', '--account', account, '--file', file, ...more)
  }

  /** What the command prints with `--json`, and its exit code. */
  async importJson(
    account: string,
    file: string,
    ...more: string[]
  ): Promise<Wire<ImportResult> & { code: number | null }> {
    const { code, output } = await this.runImport(account, file, '--json', ...more)
    return { code, ...(JSON.parse(output) as Wire<ImportResult>) } // what the command prints
  }

  async export(account: string, ...more: string[]): Promise<string> {
    return (await this.run('user', 'export', '--account', account, ...more)).output
  }

  /** Imports in process what a file would hold. */
  import(
    account: string,
    values: readonly unknown[],
    options?: ImportOptions,
  ): Promise<ImportResult> {
    return this.clientele.users.import(account, toRecords(values), {
      fromWire: true,
      ...options,
    })
  }
}

export async function* toRecords(values: readonly unknown[]): AsyncGenerator<ImportRecord> {
  for (const [index, value] of values.entries()) yield { line: index + 1, value }
}
