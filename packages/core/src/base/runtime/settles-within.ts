/** Waits until the promise settles, for this time at most. Returns whether it has settled. */
export function settlesWithin(promise: Promise<unknown>, milliseconds: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), milliseconds)
    const end = () => {
      clearTimeout(timer)
      resolve(true)
    }
    promise.then(end, end)
  })
}
