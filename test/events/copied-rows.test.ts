import { expect, onTestFinished, test } from 'vitest'
import { openClientele, openRepository } from '../keys/open-clientele.ts'
import { openDatabase } from '../support/databases.ts'
import { runSql } from '../support/run-sql.ts'

// Rows that were copied, by logical replication for instance, come without the sequence of their numbers.
test.each([
  ['in one feed', { chain: false, isTogether: false }],
  ['in one feed with a chain', { chain: true, isTogether: false }],
  ['in two feeds together', { chain: false, isTogether: true }],
])('events with the same number get positions of their own: %s', async (_, how) => {
  const { chain, isTogether } = how
  const { url, close } = await openDatabase('postgres')
  onTestFinished(close)
  const clientele = await openClientele(url, { audit: { chain } })
  onTestFinished(() => clientele.close())
  const { id } = await clientele.accounts.create({ name: 'Acme' })
  const other = await clientele.accounts.create({ name: 'Globex' })
  const rename = async (names: string[]) => {
    for (const name of names) await clientele.accounts.update(id, { name })
  }
  // The feeds begin, and their first events have positions.
  await Promise.all([clientele.events.read(id), clientele.events.read(other.id)])
  await rename(['1', '2', '3'])
  await runSql(url, 'alter table clientele_events alter column seq restart with 1000')
  await rename(['4', '5'])
  await runSql(url, 'alter table clientele_events alter column seq restart with 1000')
  await rename(['6', '7'])
  await clientele.accounts.update(other.id, { name: 'Initech' })
  if (isTogether) {
    const { events, storage } = openRepository(url)
    onTestFinished(() => storage.close())
    await events.givePlaces([id, other.id])
    const left = await runSql(url, 'select 1 from clientele_events where position is null')
    expect(left).toEqual([])
  }
  const pages = await Promise.all([clientele.events.read(id), clientele.events.read(other.id)])
  expect(pages.map(({ data }) => data.length)).toEqual([7, 1])
  const positions = `select 1 from clientele_events where account_id = '${id}' and position is not null`
  expect(await runSql(url, positions)).toHaveLength(7)
  if (chain) expect(await clientele.events.verify(id)).toMatchObject({ isSound: true, verified: 7 })
})
