import { chmod, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { inflate } from '@sparticuz/chromium'

const packed = join(dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')), '..')
const cache = join(import.meta.dirname, '../../node_modules/.cache/run')

// The package's own configuration names folders of the machines that it was made for.
const fontsConfiguration = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`

/** A program on the disk, and what its environment has to say. */
export interface UnpackedChromium {
  executablePath: string
  env: Record<string, string>
}

/**
 * Unpacks the Chromium that the package brings, with its libraries and fonts, when it is first needed in this
 * clone. Of several processes at once each unpacks it, and one puts it in place.
 */
export async function unpackChromium(): Promise<UnpackedChromium> {
  const { version } = JSON.parse(await readFile(join(packed, 'package.json'), 'utf8'))
  const folder = join(cache, `chromium-${version}`)
  const isThere = () =>
    stat(folder).then(
      () => true,
      () => false,
    )
  if (!(await isThere())) {
    await mkdir(cache, { recursive: true })
    const draft = await mkdtemp(join(cache, 'chromium-draft-'))
    try {
      await unpackInto(draft)
      await rename(draft, folder)
    } catch (error) {
      await rm(draft, { recursive: true, force: true })
      if (!(await isThere())) throw error
    }
  }
  return {
    executablePath: join(folder, 'chromium'),
    env: {
      LD_LIBRARY_PATH: join(folder, 'al2023/lib'),
      FONTCONFIG_FILE: join(folder, 'fonts/fonts.conf'),
      XDG_CACHE_HOME: join(folder, 'cache'),
    },
  }
}

async function unpackInto(folder: string): Promise<void> {
  const { TMPDIR } = process.env
  // It is where the package unpacks to; it reads this before it does anything else.
  process.env.TMPDIR = folder
  const names = ['chromium.br', 'al2023.tar.br', 'fonts.tar.br']
  const unpacked = names.map((name) => inflate(join(packed, 'bin', name)))
  if (TMPDIR === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = TMPDIR
  await Promise.all(unpacked)
  await writeFile(join(folder, 'fonts/fonts.conf'), fontsConfiguration)
  // Every user who can read the clone can run it.
  await chmod(join(folder, 'chromium'), 0o755)
  await chmod(folder, 0o755)
}
