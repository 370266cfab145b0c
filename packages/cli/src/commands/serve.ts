import type { Command } from 'commander'
import { describeSettings } from '../server/settings/describe-settings.ts'

export function addServe(parent: Command): void {
  parent
    .command('serve')
    .description('start the server; clientele without a command does the same')
    .addHelpText(
      'after',
      () => `
Settings are environment variables, here with their defaults:

${describeSettings()}

Exit codes: 0 stopped by SIGTERM or Ctrl-C, 1 failed, 2 settings or options that cannot be used.`,
    )
    .action(async () => {
      const { serve } = await import('../server/serve.ts')
      await serve()
    })
}
