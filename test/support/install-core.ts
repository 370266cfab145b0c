import { execFileSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const core = join(import.meta.dirname, '../../packages/core')

/** Core in a folder of its own, with the packages that it depends on. */
export interface InstalledCore {
  /** Runs a script, an ES module, in that folder; answers with what it prints, and of an error with code and message. */
  run(script: string): string
  remove(): void
}

/** Installs core as a host would: of the packages that it takes from its host, only those that are named. */
export function installCore(peers: readonly string[] = []): InstalledCore {
  const folder = mkdtempSync(join(tmpdir(), 'clientele-installed-'))
  const installed = join(folder, 'node_modules/@clientele/core')
  for (const part of ['package.json', 'dist']) {
    cpSync(join(core, part), join(installed, part), { recursive: true })
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
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
