import { compareWrites } from '../support/compare-writes.ts'
import { counts } from '../support/core-without.ts'
import type { Setting } from '../support/setting.ts'

/** Create, replace and delete, without hashing a password, beside our own package without the rows that count users. */
export async function writeUsers(setting: Setting): Promise<void> {
  const works = ['create', 'replace', 'delete'] as const
  await compareWrites(setting, { works, removals: counts, name: 'without the counts', atMost: 1.1 })
}
