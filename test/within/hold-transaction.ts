/** Begins a transaction of a library that ends it with a callback, and holds it open until the caller ends it. */
export async function holdTransaction<Handle>(
  execute: (work: (handle: Handle) => Promise<void>) => Promise<unknown>,
): Promise<{ handle: Handle; commit(): Promise<void>; rollback(): Promise<void> }> {
  const given = Promise.withResolvers<Handle>()
  const decided = Promise.withResolvers<void>()
  const undone = new Error('The host undoes it.')
  const ended = execute((handle) => {
    given.resolve(handle)
    return decided.promise
  })
  // A transaction that could not begin
  ended.catch(given.reject)
  return {
    handle: await given.promise,
    commit: async () => {
      decided.resolve()
      await ended
    },
    rollback: async () => {
      decided.reject(undone)
      await ended.catch((error: unknown) => {
        if (error !== undone) throw error
      })
    },
  }
}
