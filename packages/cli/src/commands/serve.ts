import type { Command } from 'commander'

export function addServe(parent: Command): void {
  parent
    .command('serve')
    .description('start the server; clientele without a command does the same')
    .action(async () => {
      const { serve } = await import('../server/serve.ts')
      await serve()
    })
}
