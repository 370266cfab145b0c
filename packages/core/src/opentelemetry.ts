/**
 * Traces and metrics by OpenTelemetry: `import { openTelemetry } from '@clientele/core/opentelemetry'`. It needs
 * `@opentelemetry/api`.
 *
 * @module
 */
export { type OpenTelemetryOptions, openTelemetry } from './observe/opentelemetry/open-telemetry.ts'
