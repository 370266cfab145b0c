import type { Command } from 'commander'
import { withRepository } from '../with-clientele.ts'

export function addMigrate(parent: Command): void {
  parent
    .command('migrate')
    .description('bring the schema up to date, and print the applied migrations')
    .action(
      withRepository('make', async (repository) => {
        const applied = await repository.storage.migrate()
        const text = applied.length > 0 ? applied.join('\n') : 'The schema is up to date.'
        return { json: { applied }, text }
      }),
    )
}
