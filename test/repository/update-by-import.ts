import type { Repository } from '@clientele/core'
import { someEvent } from '../support/some-event.ts'
import { newImportedUser, start } from './world.ts'

/** Changes all that an import can change. */
export async function updateByImport(repository: Repository, accountId: string): Promise<void> {
  const changes = [
    { name: 'Grace Hopper', roles: ['admin'], passwordHash: 'hash', emailVerified: start },
    { isActive: false, roles: [], emailVerified: false },
  ]
  for (const change of changes) {
    await repository.importExport.importBatch(accountId, {
      users: [1, 2, 3].map((number) =>
        newImportedUser({ email: `user${number}@example.com`, namesId: false, ...change }),
      ),
      importedAt: start,
      progress: undefined,
      updatesKnown: true,
      isAllOrNothing: false,
      eventsOf: () => [someEvent(accountId)],
    })
  }
}
