import { ClienteleError, createClientele, toProblem } from '@clientele/core'
import { describeServer } from '@clientele/core/database-url'
import { postgres } from '@clientele/core/postgres'
import { describe, expect, test } from 'vitest'
import { findFreePort } from '../support/find-free-port.ts'
import { runCommand } from '../support/run-command.ts'

describe('a PostgreSQL that is not there', async () => {
  const port = await findFreePort()
  const url = `postgres://ada:hunter2@127.0.0.1:${port}/app?application_name=hunter2`
  const message = `The database does not answer at 127.0.0.1:${port} (ECONNREFUSED): is it running, and is its URL right?`

  test('is named to the program, and to no HTTP caller', async () => {
    const repository = postgres({ connectionString: url })
    const error = await createClientele({ repository, secrets: ['a secret of the tests'] }).catch(
      (fault: unknown) => fault,
    )
    expect(error).toMatchObject({ code: 'storage_unavailable', message })
    if (!(error instanceof ClienteleError)) throw error
    const problem = toProblem(error)
    expect(JSON.stringify(problem)).not.toContain(String(port))
    expect(JSON.stringify(problem)).toContain('The database does not answer: try again shortly.')
    await repository.storage.close()
  })

  test('is one fault for the command line, and for the doctor', async () => {
    const listed = await runCommand(['account', 'list'], { DATABASE_URL: url })
    expect(listed.errors).toContain(`error storage_unavailable: ${message}\n`)
    const environment = { DATABASE_URL: url, CLIENTELE_SECRET: 'a secret of the tests' }
    const { code, output } = await runCommand(['doctor', '--json'], environment)
    const { findings }: { findings: Record<string, string>[] } = JSON.parse(output)
    const failed = findings.filter(({ status }) => status === 'failed')
    expect([code, failed]).toMatchObject([1, [{ check: 'database', message }]])
    const left = findings.filter(({ message: each }) => each?.startsWith('not examined'))
    expect(left.map(({ check }) => check)).toEqual(['migrations', 'clock', 'webhooks', 'secret'])
    expect(listed.errors + output).not.toContain('hunter2')
  })

  test('is described without user, password and parameters', async () => {
    const place = `PostgreSQL at 127.0.0.1:${port}, database app`
    expect(await describeServer(url)).toBe(place)
    const hosts = 'postgres://ada:hunter2@one:1,two/app?user=x&password=hunter2'
    expect(await describeServer(hosts)).toBe('PostgreSQL at one:1, two, database app')
  })
})
