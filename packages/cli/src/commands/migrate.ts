import type { Command } from 'commander'
import { withRepository } from '../with-clientele.ts'

export function addMigrate(parent: Command): void {
  parent
    .command('migrate')
    .description('bring the schema up to date, and print the applied migrations')
    .option('--distribute', 'also distribute the tables by account: PostgreSQL with Citus')
    .addHelpText('after', '\nExample: clientele migrate')
    .action(
      withRepository<{ distribute?: true }>('make', async (repository, { distribute = false }) => {
        const applied = await repository.storage.migrate({ distribute })
        const text = applied.length > 0 ? applied.join('\n') : 'The schema is up to date.'
        return { json: { applied }, text }
      }),
    )
}
