import { expect, test } from 'vitest'
import { GroupCommit } from '../../packages/core/src/sql/sqlite/group-commit.ts'

/** Commits six writes that each change that number of rows; returns the number of writes of each commit. */
async function commitSix(rowsOfWrite: number): Promise<number[]> {
  const commits: number[] = []
  let rows = 0
  let writes = 0
  const group = new GroupCommit(
    {
      inTransaction: false,
      countChangedRows: () => rows,
      execute: (sql) => {
        if (sql !== 'commit') return
        commits.push(writes)
        writes = 0
      },
    },
    {
      lockTimeoutMs: 1_000,
      isBusy: () => false,
      taken: () => new Error('taken'),
      assertWritable: () => {},
      onCommit: () => {},
    },
  )
  const write = () => {
    rows += rowsOfWrite
    writes++
  }
  const options = { isStatement: false, accountOf: () => 'account' }
  await Promise.all(Array.from({ length: 6 }, () => group.write(write, options)))
  return commits
}

test('writes of few rows share a commit', async () => {
  expect(await commitSix(1)).toEqual([6])
})

test('a write of many rows, such as the deletion of a user with many sessions, is committed before the next', async () => {
  expect(await commitSix(350)).toEqual([1, 1, 1, 1, 1, 1])
})
