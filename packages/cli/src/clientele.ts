#!/usr/bin/env node
// As a whole: an old Node has not all of its names, and an import of what is missing would end in a stack.
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
// A server without options is the most frequent start: it does without what reads a command line.
const [command = 'serve', ...rest] = process.argv.slice(2)
const isServer = command === 'serve'
if (isServer) restartWithLessMemory()
// Beside the code itself, and not in a folder for temporary files: who may write there may change the code anyway.
// Where nobody may write, each start compiles anew, without a word.
module.enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/compiled'))
// Only now: what an older Node cannot load would end here with a stack, or without a word.
if (isServer && rest.length === 0) await (await import('./server/serve.ts')).serve()
else await import('./main.ts')
