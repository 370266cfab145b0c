/**
 * Calls a function with a signal that aborts after a time limit, or when the caller gives up. Nothing of it outlives the
 * call: a timer of `AbortSignal.timeout` would stay for the whole limit, for each of thousands of requests.
 *
 * @param givenUp cancels the call
 * @param holdsProcess whether the process goes on until the limit, though nothing else keeps it
 * @throws whatever the call throws; after the limit the signal's reason is a DOMException named `TimeoutError`
 */
export async function withinTime<Result>(
  limitMs: number,
  givenUp: AbortSignal,
  call: (signal: AbortSignal) => Promise<Result>,
  holdsProcess = false,
): Promise<Result> {
  const controller = new AbortController()
  const giveUp = () => controller.abort(givenUp.reason)
  const timer = setTimeout(() => {
    controller.abort(new DOMException(`No answer came within ${limitMs} ms.`, 'TimeoutError'))
  }, limitMs)
  if (!holdsProcess) timer.unref()
  givenUp.addEventListener('abort', giveUp, { once: true })
  if (givenUp.aborted) giveUp()
  try {
    return await call(controller.signal)
  } finally {
    clearTimeout(timer)
    givenUp.removeEventListener('abort', giveUp)
  }
}
