const pauseMs = 500

/**
 * Calls `stop` when the parent process has ended, if that is npx: npx forwards no signals, and its server
 * would continue without it.
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
