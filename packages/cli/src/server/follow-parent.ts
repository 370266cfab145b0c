const pauseMs = 500

/**
 * Calls `stop` when npx, which has started this process, has ended: npx forwards no signals, so the server would go on
 * without its parent. A process that another program has started, or that has a channel to its parent, is left alone.
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
