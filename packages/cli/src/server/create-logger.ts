import { type Logger, pino } from 'pino'
import { redact } from './observe/redact.ts'
import type { LogLevel } from './settings/setting-table.ts'

/**
 * Writes lines of JSON to standard error, without secrets and e-mail addresses.
 *
 * @param options.isBuffered whether lines are written some at a time, at most 100 ms late and the last ones with the end of the process: a
 *   line by itself costs more to write than to make
 * @param options.hidesSecrets `false` for a log that mails are written to, whose codes somebody wants to read
 */
export function createLogger(
  level: LogLevel,
  { hidesSecrets = true, isBuffered = false } = {},
): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: {
        level: (label) => ({ level: label }),
        ...(hidesSecrets && { log: (details) => redact(details) as Record<string, unknown> }), // an object's copy is one
      },
      messageKey: 'message',
      serializers: {
        error: (error: Error) => {
          const described = pino.stdSerializers.errWithCause(error)
          return hidesSecrets ? redact({ ...described }) : described
        },
      },
    },
    isBuffered ? openBuffered() : pino.destination({ dest: 2, sync: true }),
  )
}

const flushPauseMs = 100

function openBuffered(): ReturnType<typeof pino.destination> {
  const destination = pino.destination({ dest: 2, sync: false, minLength: 4096 })
  setInterval(() => destination.flush(), flushPauseMs).unref()
  return destination
}
