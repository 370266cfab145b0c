/**
 * For tests of applications that embed Clientele: `import { createTestClientele } from '@clientele/core/testing'`. It needs
 * better-sqlite3.
 *
 * @module
 */
export { createTestClientele } from './testing/create-test-clientele.ts'
export { listClienteleRoutes } from './testing/tenant-leaks/clientele-routes.ts'
export {
  findTenantLeaks,
  type Tenant,
  type TenantLeak,
  type TenantLeakOptions,
  type TenantReport,
} from './testing/tenant-leaks/find-tenant-leaks.ts'
export {
  type DescribedApi,
  type DescribedRoutesOptions,
  routesFromOpenApi,
} from './testing/tenant-leaks/routes-from-open-api.ts'
export type { TestedRoute } from './testing/tenant-leaks/tested-route.ts'
export type {
  TestClientele,
  TestClienteleOptions,
  TestUser,
} from './testing/test-clientele.ts'
export type { TestClock } from './testing/test-clock.ts'
export type { TestMail, TestMails } from './testing/test-mails.ts'
