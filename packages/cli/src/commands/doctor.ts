import type { Command } from 'commander'
import type { Finding } from '../doctor/finding.ts'
import { paint } from '../paint.ts'

export function addDoctor(parent: Command): void {
  parent
    .command('doctor')
    .description(
      'examine settings, database, schema, clock, secret, mail and webhooks; change nothing',
    )
    .addHelpText(
      'after',
      '\nExample: clientele doctor\n\nExit codes: 0 nothing has failed, 1 something has.',
    )
    .action(async (_options: object, command: Command) => {
      const { examineAll } = await import('../doctor/examine-all.ts')
      const findings = await examineAll(process.env)
      const { json } = command.optsWithGlobals<{ json?: true }>()
      console.log(json ? JSON.stringify({ findings }, undefined, 2) : formatFindings(findings))
      if (findings.some(({ status }) => status === 'failed')) process.exitCode = 1
    })
}

const colours = { ok: 'green', warning: 'yellow', failed: 'red' } as const

function formatFindings(findings: readonly Finding[]): string {
  return findings
    .flatMap(({ check, status, message, advice }) => [
      `${paint(colours[status], status.padEnd(9))}${check.padEnd(12)}${message}`,
      ...(advice === undefined ? [] : [`${' '.repeat(21)}→ ${advice}`]),
    ])
    .join('\n')
}
