import { type Logger, pino } from 'pino'
import type { LogLevel } from './settings/setting-table.ts'

/** Writes lines of JSON to standard error. */
export function createLogger(level: LogLevel): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      messageKey: 'message',
      serializers: { error: pino.stdSerializers.errWithCause },
    },
    pino.destination({ dest: 2, sync: true }),
  )
}
