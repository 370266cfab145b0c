#!/usr/bin/env node
// A namespace import: an old Node lacks some names, and a named import of these would end with a stack trace.
import module from 'node:module'
import { join } from 'node:path'
import { assertNodeVersion } from '@clientele/core/node-version'
import { restartWithLessMemory } from './restart-with-less-memory.ts'

try {
  assertNodeVersion()
} catch (error) {
  console.error(`error: ${error instanceof Error ? error.message : error}`)
  process.exit(1)
}
// A server without options is the most frequent start: it does not load the parser of the command line.
const [command = 'serve', ...rest] = process.argv.slice(2)
const isServer = command === 'serve'
if (isServer) restartWithLessMemory()
// Beside the code, not in a temporary folder: a user who may write there may also change the code.
// If the folder is read-only, each start compiles again, silently.
module.enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/compiled'))
// Imported late: an older Node could not load it, and would end with a stack trace or silently.
if (isServer && rest.length === 0) await (await import('./server/serve.ts')).serve()
else await import('./main.ts')
