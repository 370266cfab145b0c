import { execFileSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const core = join(import.meta.dirname, '../../packages/core')

/** Core in a folder of its own, with the packages that it depends on. */
export interface InstalledCore {
  /** Runs a script, an ES module, in that folder; answers with what it prints, and of an error with code and message. */
  run(script: string): string
  /** What an import of `@clientele/core/sqlite` loads, by the last part of its name; `index` for the core itself */
  fileOf(name: string): string
  remove(): void
}

/**
 * Installs core as a host would: of the packages that it takes from its host, only those that are named.
 *
 * @param change makes other programs of its files
 */
export function installCore(
  peers: readonly string[] = [],
  change?: (program: string) => string,
): InstalledCore {
  const folder = mkdtempSync(join(tmpdir(), 'clientele-installed-'))
  const installed = join(folder, 'node_modules/@clientele/core')
  for (const part of ['package.json', 'dist']) {
    cpSync(join(core, part), join(installed, part), { recursive: true })
  }
  if (change !== undefined) {
    for (const name of readdirSync(join(installed, 'dist')).filter((each) =>
      each.endsWith('.js'),
    )) {
      const file = join(installed, 'dist', name)
      writeFileSync(file, change(readFileSync(file, 'utf8')))
    }
  }
  const { dependencies } = JSON.parse(readFileSync(join(core, 'package.json'), 'utf8'))
  for (const name of [...Object.keys(dependencies), ...peers]) {
    const link = join(folder, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(realpathSync(join(core, 'node_modules', name)), link)
  }
  return {
    run: (script) => {
      const caught = `try { ${script} } catch (error) { console.log(error.code, error.message) }`
      const args = ['--input-type=module', '--eval', caught]
      return execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
    },
    fileOf: (name) => join(installed, 'dist', `${name}.js`),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
