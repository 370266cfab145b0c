import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { holdTransaction } from './hold-transaction.ts'
import { type Host, LibraryHost } from './library-host.ts'

const folder = join(import.meta.dirname, '../prisma')

/** Prisma has 300 MB: `.ci/run` installs it, and generates its clients. */
export const isPrismaInstalled = existsSync(join(folder, 'generated'))

/** What a host uses of Prisma here; its types are generated with the client. */
interface PrismaTransaction {
  $queryRawUnsafe(sql: string): Promise<unknown[]>
}
interface PrismaClient extends PrismaTransaction {
  $transaction(
    work: (tx: PrismaTransaction) => Promise<void>,
    options: { timeout: number },
  ): Promise<unknown>
  $disconnect(): Promise<void>
}
type Constructor<Made> = new (options: object) => Made

/** Opens Prisma's client for the database that a URL names. */
export async function connectPrisma(url: string): Promise<Host> {
  const db = await openClient(url)
  return new LibraryHost<PrismaClient, PrismaTransaction>({
    db,
    begin: () => holdTransaction((work) => db.$transaction(work, { timeout: 60_000 })),
    run: (on, statement) => on.$queryRawUnsafe(statement),
    end: () => db.$disconnect(),
  })
}

export async function openClient(url: string): Promise<PrismaClient> {
  const isFile = url.startsWith('sqlite:')
  const Client = await load<PrismaClient>(
    join(folder, `generated/${isFile ? 'sqlite' : 'postgres'}/client.ts`),
    'PrismaClient',
  )
  const { resolve } = createRequire(join(folder, 'package.json'))
  const Adapter = isFile
    ? await load<object>(resolve('@prisma/adapter-better-sqlite3'), 'PrismaBetterSqlite3')
    : await load<object>(resolve('@prisma/adapter-pg'), 'PrismaPg')
  const place = isFile ? { url: url.replace('sqlite:', 'file:') } : { connectionString: url }
  return new Client({ adapter: new Adapter(place) })
}

async function load<Made>(file: string, name: string): Promise<Constructor<Made>> {
  const loaded: object = await import(pathToFileURL(file).href)
  return Reflect.get(loaded, name) as Constructor<Made> // as the package names it
}
