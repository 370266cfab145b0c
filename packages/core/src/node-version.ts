/**
 * Checks that this Node is supported, without loading other modules:
 * `import { assertNodeVersion } from '@clientele/core/node-version'`.
 *
 * @module
 */
export { assertNodeVersion } from './base/runtime/assert-node-version.ts'
