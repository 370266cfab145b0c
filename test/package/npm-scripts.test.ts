import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './source-files.ts'

/** Programs that npm finds on every platform: Node, itself, and what a dependency brings */
const programs = ['node', 'pnpm', 'tsc', 'tsup', 'next', 'prisma']

const files = execFileSync('git', ['ls-files', '--', 'package.json', '*/package.json'], {
  cwd: root,
  encoding: 'utf8',
})
  .trim()
  .split('\n')

test('Windows can run the scripts of every package.json, which are not for a shell of Unix alone', () => {
  const words = new Set<string>()
  for (const file of files) {
    const { scripts = {} } = JSON.parse(readFileSync(join(root, file), 'utf8'))
    for (const [name, script] of Object.entries<string>(scripts)) {
      expect(script, `${file}: ${name}`).not.toMatch(/'|\$|;|\|\|?/)
      for (const command of script.split(' && ')) {
        const [word = ''] = command.split(' ')
        words.add(word)
        // cmd looks for programs beside package.json, too.
        const isBeside = existsSync(join(root, dirname(file), `${word}.cmd`))
        expect(isBeside || programs.includes(word), `${file}: ${name}: ${word}`).toBe(true)
      }
    }
  }
  expect([...words].toSorted()).toEqual(['exec', ...programs].toSorted())
})

test('exec.cmd runs what stands behind it', () => {
  const [comment, ...commands] = readFileSync(join(root, 'exec.cmd'), 'utf8').trim().split(/\r?\n/)
  expect(comment).toMatch(/^@rem /)
  expect(commands).toEqual(['@%*'])
})
