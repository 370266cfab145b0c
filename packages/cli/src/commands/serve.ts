import type { Command } from 'commander'
import { describeSettings } from '../server/settings/describe-settings.ts'

export function addServe(parent: Command): void {
  parent
    .command('serve')
    .description('start the server (the default command)')
    .option('--port <number>', 'the port to listen on; same as PORT')
    .option(
      '--workers <number>',
      'the number of server processes, on PostgreSQL only; same as WORKERS',
    )
    .addHelpText(
      'after',
      () => `
Example: clientele serve --port 8080

Settings are environment variables, here with their defaults:

${describeSettings()}

Exit codes: 0 stopped by SIGTERM or Ctrl-C, 1 failed, 2 settings or options that cannot be used.`,
    )
    .action(async ({ port, workers }: { port?: string; workers?: string }) => {
      const { serve } = await import('../server/serve.ts')
      // The workers read it too.
      if (workers !== undefined) process.env.WORKERS = workers
      if (port !== undefined) process.env.PORT = port
      await serve()
    })
}
