/** Freezes a value of JSON, with all that is in it. */
export function freezeJson<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  for (const member of Object.values(value)) freezeJson(member)
  return Object.freeze(value)
}
