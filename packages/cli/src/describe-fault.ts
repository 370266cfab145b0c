/** What to say of a fault: its message, and its cause where the message does not name it. */
export function describeFault({ message, cause }: Error): string {
  if (!(cause instanceof Error)) return message
  const reason = cause.message || cause.name
  const isSaid = 'code' in cause && message.includes(`(${String(cause.code)})`)
  return isSaid ? message : `${message} (${reason})`
}
