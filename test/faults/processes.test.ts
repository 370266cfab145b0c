import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { start } from '../repository/world.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { repositoryOf } from '../support/open-repository.ts'
import { runSql } from '../support/run-sql.ts'

function startWorker(task: string, url: string): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [join(import.meta.dirname, 'storage-worker.ts'), task, url])
}

async function finish(worker: ChildProcessWithoutNullStreams) {
  let output = ''
  let complaints = ''
  worker.stdout.on('data', (chunk) => (output += chunk))
  worker.stderr.on('data', (chunk) => (complaints += chunk))
  const code = await new Promise((resolve) => worker.on('close', resolve))
  return { code, output, complaints }
}

describe.each(databases)('$name', ({ openEmpty }) => {
  let database: OpenDatabase
  beforeAll(async () => {
    database = await openEmpty()
  })
  afterAll(() => database.close())

  test('six processes that start on an empty database at once apply each step once', async () => {
    const workers = [1, 2, 3, 4, 5, 6].map(() => startWorker('migrate', database.url))
    const results = await Promise.all(workers.map(finish))
    expect(results.map(({ code, complaints }) => [code, complaints])).toEqual(
      results.map(() => [0, '']),
    )
    const applied = results.flatMap(({ output }) => JSON.parse(output) as string[])
    expect(applied.length).toBeGreaterThan(0)
    expect(new Set(applied).size).toBe(applied.length)
    const rows = await runSql(database.url, 'select name from clientele_migrations order by name')
    expect(rows).toEqual(applied.map((name) => ({ name })))
  })

  test('after kill -9 every acknowledged write is stored, and no write in part', async () => {
    const repository = repositoryOf(database.url)
    await repository.storage.migrate()
    const worker = startWorker('write', database.url)
    const lines: Record<string, string>[] = []
    const ended = new Promise((resolve) => worker.on('close', resolve))
    for await (const line of createInterface({ input: worker.stdout })) {
      lines.push(JSON.parse(line) as Record<string, string>)
      if (lines.length === 200) worker.kill('SIGKILL')
    }
    await ended
    const [{ accountId = '' } = {}, ...acknowledged] = lines
    for (const { userId = '', sessionId = '' } of acknowledged) {
      const found = await repository.users.findSubject(accountId, start, { userId, sessionId })
      expect(found).toMatchObject({ hasLiveSession: true, user: { roles: '["kept"]' } })
    }
    const { total } = await repository.users.list(accountId, { page: 1, limit: 1 })
    expect(total).toBeGreaterThanOrEqual(acknowledged.length)
    // Each of the eight writers may have had one that it was not told of.
    expect(total).toBeLessThanOrEqual(acknowledged.length + 8)
    const kept = await repository.users.list(accountId, { page: 1, limit: 1, role: 'kept' })
    const others = await repository.users.list(accountId, { page: 1, limit: 1, role: 'admin' })
    expect(kept.total + others.total).toBe(total)
    expect(await repository.users.recount(accountId)).toBe(total)
    await repository.storage.close()
  })
})
