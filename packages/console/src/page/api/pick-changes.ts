/**
 * The members of a body that differ from the body before. Only these are sent: what others have changed since the form was
 * opened stays.
 */
export function pickChanges<Body extends object>(before: Body, now: Body): Partial<Body> {
  const old = new Map<string, unknown>(Object.entries(before))
  const changed = Object.entries(now).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(old.get(name)),
  )
  return Object.fromEntries(changed) as Partial<Body> // some of its own members
}
