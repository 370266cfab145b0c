/** The logger that we need; pino and most others have this shape. */
export interface Logger {
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

/** Writes warnings and errors to standard error, one JSON line each. */
export const consoleLogger: Logger = {
  info: () => {},
  warn: (details, message) => write('warn', details, message),
  error: (details, message) => write('error', details, message),
}

function write(level: string, details: object, message: string): void {
  console.error(
    JSON.stringify({ level, time: new Date().toISOString(), message, ...details }, describeErrors),
  )
}

function describeErrors(_key: string, value: unknown): unknown {
  if (!(value instanceof Error)) return value
  const { name, message, stack, cause } = value
  return { name, message, code: Reflect.get(value, 'code'), stack, cause }
}
