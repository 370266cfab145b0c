/**
 * For tests of applications that embed Clientele: `import { createTestClientele } from '@clientele/core/testing'`. It needs
 * better-sqlite3.
 *
 * @module
 */
export {
  createTestClientele,
  type TestClientele,
  type TestClienteleOptions,
  type TestUser,
} from './testing/create-test-clientele.ts'
export type { TestClock } from './testing/test-clock.ts'
export type { TestMail, TestMails } from './testing/test-mails.ts'
