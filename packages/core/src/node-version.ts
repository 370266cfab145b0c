/**
 * Says whether this Node is new enough, and loads nothing else: `import { assertNodeVersion } from
 * '@clientele/core/node-version'`.
 *
 * @module
 */
export { assertNodeVersion } from './base/runtime/assert-node-version.ts'
