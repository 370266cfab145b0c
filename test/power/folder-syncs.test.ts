import fs from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sqlite } from '@clientele/core/sqlite'
import { expect, onTestFinished, test } from 'vitest'

/** Writes down which folders and files this process makes and syncs, by their paths below this one. */
function watchFiles(folder: string): string[] {
  const { mkdirSync, linkSync, openSync, fsyncSync } = fs
  const own = { mkdirSync, linkSync, openSync, fsyncSync }
  const paths = new Map<number, string>()
  const calls: string[] = []
  const note = (what: string, path: unknown): void => {
    const text = String(path)
    const below = text.slice(folder.length).replace(/[0-9a-f]{12}/, 'random')
    if (text.startsWith(folder)) calls.push(`${what} ${below || '/'}`)
  }
  fs.mkdirSync = ((path: fs.PathLike) => {
    note('make', path)
    return own.mkdirSync(path)
  }) as typeof fs.mkdirSync // the sources pass a path alone
  fs.linkSync = (from, to) => {
    note('name', to)
    own.linkSync(from, to)
  }
  fs.openSync = (path, ...rest) => {
    const handle = own.openSync(path, ...rest)
    paths.set(handle, String(path))
    return handle
  }
  fs.fsyncSync = (handle) => {
    note('sync', paths.get(handle))
    own.fsyncSync(handle)
  }
  syncBuiltinESMExports()
  onTestFinished(() => {
    Object.assign(fs, own)
    syncBuiltinESMExports()
  })
  return calls
}

test.skipIf(process.platform === 'win32')(
  'a folder and the secret have their names on disk before they are relied on',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'clientele-syncs-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const calls = watchFiles(folder)
    const open = async (): Promise<string[]> => {
      const { storage } = sqlite({ filename: join(folder, 'data/deep/users.sqlite') })
      storage.localSecret?.()
      await storage.close()
      return calls.splice(0)
    }
    expect(await open()).toEqual([
      'make /data',
      'sync /',
      'make /data/deep',
      'sync /data',
      'sync /data/deep/users.sqlite.secret.random.partial',
      'name /data/deep/users.sqlite.secret',
      'sync /data/deep',
    ])
    // The process that made the file may have been killed before it synced the name.
    expect(await open()).toEqual(['sync /data/deep'])
  },
)
