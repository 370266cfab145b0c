import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { benchSecret } from './clientele.ts'
import { type RunningServer, startServer } from './server.ts'

const root = join(import.meta.dirname, '../../..')

/** Starts the server of a checkout as it ships: with the settings that it has by itself, and the database that is given. */
export async function startShipped(
  databaseUrl: string,
  { folder = root, env = {} }: { folder?: string; env?: Record<string, string> } = {},
): Promise<RunningServer> {
  const settings = { PORT: '0', DATABASE_URL: databaseUrl, CLIENTELE_SECRET: benchSecret, ...env }
  const script = join(folder, 'packages/cli/dist/clientele.js')
  return startServer(script, ['serve'], settings, [], 'ignore')
}

/**
 * The last tagged state, built in a folder of its own outside of this checkout, whose packages it would find otherwise;
 * undefined where there is no tag.
 */
export function checkOutLastTag(): { tag: string; folder: string } | undefined {
  const { stdout, status } = spawnSync('git', ['describe', '--tags', '--abbrev=0'], {
    cwd: root,
    encoding: 'utf8',
  })
  const tag = stdout?.trim() ?? ''
  if (status !== 0 || tag === '') return undefined
  const folder = join(tmpdir(), 'clientele-guard', tag.replaceAll('/', '-'))
  if (!existsSync(join(folder, 'packages/cli/dist/clientele.js'))) {
    mkdirSync(folder, { recursive: true })
    const files = execFileSync('git', ['archive', tag], { cwd: root, maxBuffer: 2 ** 30 })
    execFileSync('tar', ['-x', '-C', folder], { input: files })
    execFileSync('node', ['run.mjs', 'start', '--version'], { cwd: folder, stdio: 'ignore' })
  }
  return { tag, folder }
}
