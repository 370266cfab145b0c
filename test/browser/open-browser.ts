import { homedir, tmpdir } from 'node:os'
import { type Browser, chromium, type LaunchOptions } from 'playwright-core'
import { unpackChromium } from './unpack-chromium.ts'

// Neither a screen nor a graphics card, nor a sandbox of its own, which root may not have; nothing on the network but ours.
const args = [
  ...['--no-sandbox', '--no-zygote', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
  '--font-render-hinting=none',
]

let opened: Promise<Browser | undefined> | undefined

/**
 * The browser of this process. To start one takes longer than most tests with it: test files leave it open for the next, which
 * has pages of its own, and it ends with the process. On Linux it is the Chromium that comes with the tests, elsewhere a
 * Chrome that is installed. Where there is none it answers undefined and says so, and the tests that need it are skipped.
 */
export function openBrowser(): Promise<Browser | undefined> {
  opened ??= launch()
  return opened
}

async function launch(): Promise<Browser | undefined> {
  const isPacked = process.platform === 'linux' && process.arch === 'x64'
  try {
    return await chromium.launch({ args, ...(isPacked ? await packed() : { channel: 'chrome' }) })
  } catch (error) {
    if (isPacked) throw error
    console.warn(`No browser is tried here, as Google Chrome does not start: ${error}`)
    return undefined
  }
}

async function packed(): Promise<LaunchOptions> {
  const { executablePath, env } = await unpackChromium()
  const { PATH = '', HOME = homedir() || tmpdir() } = process.env
  return { executablePath, env: { PATH, HOME, ...env } }
}
