const pauseMs = 500

/**
 * Calls `stop` once the program that started this one is gone, where that is npx: it passes no signal on, and a server that
 * it has started would go on without it.
 */
export function followParent(stop: () => void): void {
  if (process.env.npm_command !== 'exec' || process.connected) return
  const { ppid } = process
  const timer = setInterval(() => {
    if (process.ppid === ppid) return
    clearInterval(timer)
    stop()
  }, pauseMs)
  timer.unref()
}
