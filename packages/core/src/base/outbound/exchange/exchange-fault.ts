import { UnreadableDocument } from './unreadable-document.ts'

/** An error in a form that can be sent to another thread */
export interface ExchangeFault {
  name: string
  message: string
  code: string | undefined
  /** The status of an UnreadableDocument */
  status: number | undefined
}

/** Errors of these classes are mistakes in the program: they keep their class in the other thread. */
const programErrors = [TypeError, RangeError, ReferenceError, SyntaxError]

export function describeFault(error: unknown): ExchangeFault {
  const { name, message } = error instanceof Error ? error : new Error(String(error))
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
  const status = error instanceof UnreadableDocument ? error.status : undefined
  return { name, message, code, status }
}

export function toError({ name, message, code, status }: ExchangeFault): Error {
  if (name === 'UnreadableDocument') return new UnreadableDocument(message, { status })
  const Kind = programErrors.find((kind) => kind.name === name) ?? Error
  return Object.assign(new Kind(message), { name }, code === undefined ? {} : { code })
}
