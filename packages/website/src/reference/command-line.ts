import { execFileSync } from 'node:child_process'
import type { Page } from '../pages/page.ts'
import { locate } from '../pages/repository.ts'
import { joinParts, toBlock } from './markdown.ts'

interface Command {
  words: readonly string[]
  help: string
}

/** The help of every command of `clientele`. */
export function describeCommandLine(): Page {
  const [whole, ...commands] = readCommands([])
  return {
    route: '/reference/command-line/',
    title: 'Command line',
    text: joinParts(
      '# Command line',
      'What `clientele --help` and the `--help` of each command print. Every command has `--json`.',
      toBlock('text', whole?.help ?? ''),
      ...commands.map(({ words, help }) =>
        joinParts(
          `${words.length === 1 ? '##' : '###'} clientele ${words.join(' ')}`,
          toBlock('text', help),
        ),
      ),
    ),
  }
}

/** A command, and the commands below it, as its help lists them. */
function readCommands(words: readonly string[]): Command[] {
  const script = locate('packages/cli/dist/clientele.js')
  const help = execFileSync(process.execPath, [script, ...words, '--help'], {
    encoding: 'utf8',
    env: { ...process.env, COLUMNS: '100', NO_COLOR: '1' },
  })
  const [, list = ''] = /^Commands:\n((?: {2}.*\n)+)/m.exec(help) ?? []
  const names = [...list.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name = '']) => name)
  const below = names.filter((name) => name !== 'help').map((name) => [...words, name])
  return [{ words, help }, ...below.flatMap(readCommands)]
}
