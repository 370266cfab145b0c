import { type Clientele, createClientele, type Logger } from '@clientele/core'
import { openRepository } from '@clientele/core/database-url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findFreePort } from '../support/find-free-port.ts'
import { runSql } from '../support/run-sql.ts'
import { PostgresPair } from './postgres-pair.ts'

const quiet: Logger = { info: () => {}, warn: () => {}, error: () => {} }
const secrets = ['a secret of at least thirty-two characters']

describe('several hosts in one URL', () => {
  let pair: PostgresPair
  let clientele: Clientele
  let accountId: string
  beforeAll(async () => {
    pair = await PostgresPair.open()
  })
  afterAll(async () => {
    await clientele?.close()
    await pair.close()
  })

  function addKey(name: string): Promise<unknown> {
    return clientele.apiKeys.create(accountId, { name })
  }

  /** The names that the server at that place has */
  async function namesOn(index: 0 | 1): Promise<unknown[]> {
    const rows = await runSql(pair.urlOf(index), 'select name from clientele_api_keys')
    return rows.map((row) => (row as { name: string }).name) // the column above
  }

  test('the server that accepts writes is found after one that is down and a standby', async () => {
    const [primary, standby] = pair.ports
    const url = pair.urlOfPorts([await findFreePort(), standby, primary])
    clientele = await createClientele({
      repository: await openRepository(`${url}?target_session_attrs=read-write`),
      secrets,
      logger: quiet,
    })
    accountId = (await clientele.accounts.create({ name: 'Acme' })).id
    await Promise.all(['one', 'two', 'three'].map(addKey))
    expect(await namesOn(0)).toHaveLength(3)
    await expect.poll(() => namesOn(1), { timeout: 10_000 }).toHaveLength(3)
  })

  test('a standby alone counts as a database that does not answer', async () => {
    const [, standby] = pair.ports
    const repository = await openRepository(
      `${pair.urlOfPorts([standby])}?target_session_attrs=read-write`,
    )
    await expect(createClientele({ repository, secrets })).rejects.toMatchObject({
      code: 'storage_unavailable',
      cause: { message: 'The server takes no writes.' },
    })
    await repository.storage.close()
  })

  test('when the primary becomes read-only under open connections, the promoted one is found', async () => {
    await runSql(
      pair.urlOf(0),
      'alter system set default_transaction_read_only = on',
      'select pg_reload_conf()',
    )
    // Every connection is still open, and refuses to write.
    await expect
      .poll(() => addKey('lost').catch((fault: unknown) => fault))
      .toMatchObject({ code: 'storage_unavailable' })
    await runSql(pair.urlOf(1), 'select pg_promote()')
    await expect.poll(() => addKey('moved').catch((fault: unknown) => fault)).toHaveProperty('id')
    // All of them, those that were idle too.
    const keys = await Promise.all(Array.from({ length: 12 }, (_, index) => addKey(`new ${index}`)))
    expect(keys).toHaveLength(12)
    expect(await namesOn(1)).toEqual(expect.arrayContaining(['moved', 'new 0', 'new 11']))
    expect(await namesOn(0)).not.toContain('moved')
  })

  test('if all servers are down, requests get 503 until one is back', async () => {
    await pair.stop(1)
    await expect(addKey('nowhere')).rejects.toMatchObject({ code: 'storage_unavailable' })
    // The first one is a primary again.
    await runSql(
      pair.urlOf(0),
      'alter system reset default_transaction_read_only',
      'select pg_reload_conf()',
    )
    await expect.poll(() => addKey('back').catch((fault: unknown) => fault)).toHaveProperty('id')
    expect(await namesOn(0)).toContain('back')
  })
})
