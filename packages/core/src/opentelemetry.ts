/**
 * Traces and metrics by OpenTelemetry: `import { openTelemetry } from '@clientele/core/opentelemetry'`. It needs
 * `@opentelemetry/api`.
 *
 * @module
 */
export {
  type OpenTelemetryOptions,
  openTelemetry,
} from './base/observe/opentelemetry/open-telemetry.ts'
