/** Waits, unless one of the signals ends it before. */
export function pause(seconds: number, ...signals: AbortSignal[]): Promise<void> {
  const ended = AbortSignal.any(signals)
  return new Promise((resolve) => {
    const timer = setTimeout(end, seconds * 1000)
    function end() {
      clearTimeout(timer)
      resolve()
    }
    if (ended.aborted) end()
    else ended.addEventListener('abort', end, { once: true })
  })
}
