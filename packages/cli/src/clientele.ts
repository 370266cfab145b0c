#!/usr/bin/env node
import { assertNodeVersion } from '@clientele/core/node-version'

try {
  assertNodeVersion()
} catch (error) {
  console.error(`error: ${error instanceof Error ? error.message : error}`)
  process.exit(1)
}
// Only now: what an older Node cannot load would end here with a stack, or without a word.
await import('./main.ts')
