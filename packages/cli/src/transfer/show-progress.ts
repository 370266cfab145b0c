export interface ProgressDisplay {
  update(bytes: number, users: number): void
  /** Ends the progress line; idempotent. */
  stop(): void
}

const lineEveryMs = 5000

/** Shows how far a file has been read on standard error: a bar on a terminal, else a line now and then. */
export async function showProgress(
  totalBytes: number,
  now: () => number,
): Promise<ProgressDisplay> {
  const begun = now()
  const rate = (users: number): number =>
    Math.round(users / Math.max(0.001, (now() - begun) / 1000))
  if (process.stderr.isTTY) {
    // The default export: a CommonJS package may have no named exports.
    const { default: cliProgress } = await import('cli-progress')
    const bar = new cliProgress.SingleBar({
      stream: process.stderr,
      format: '{bar} {percentage}% | {users} users | {rate}/s | {eta_formatted} left',
      etaBuffer: 100,
    })
    let isShown = true
    bar.start(totalBytes, 0, { users: 0, rate: 0 })
    return {
      update: (bytes, users) => bar.update(bytes, { users, rate: rate(users) }),
      stop: () => {
        if (isShown) bar.stop()
        isShown = false
      },
    }
  }
  let last = begun
  return {
    update: (bytes, users) => {
      if (now() - last < lineEveryMs) return
      last = now()
      const percent = Math.floor((100 * bytes) / Math.max(1, totalBytes))
      const left = Math.round(((now() - begun) / 1000) * (totalBytes / Math.max(1, bytes) - 1))
      console.error(`${percent}%, ${users} users, ${rate(users)}/s, ${left} s left`)
    },
    stop: () => {},
  }
}
