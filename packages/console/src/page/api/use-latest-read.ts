import { useCallback, useRef, useState } from 'preact/hooks'
import { isAbort, type Problem, toProblem } from './problem.ts'

/** Gets what `load` has read, unless another read has begun meanwhile. */
export type Read = <Found>(
  load: (signal: AbortSignal) => Promise<Found>,
  show: (found: Found) => void,
) => Promise<void>

export interface LatestRead {
  read: Read
  /** Aborts the read that is under way. */
  stop: () => void
  isLoading: boolean
  setLoading: (isLoading: boolean) => void
  problem: Problem | undefined
}

/** Reads one thing at a time: a read aborts the one before, so that only the latest is shown. */
export function useLatestRead(): LatestRead {
  const [problem, setProblem] = useState<Problem>()
  const [isLoading, setLoading] = useState(true)
  const underWay = useRef<AbortController>(undefined)
  const stop = useCallback((): void => underWay.current?.abort(), [])
  const read = useCallback<Read>(
    async (load, show) => {
      stop()
      const abort = new AbortController()
      underWay.current = abort
      const { signal } = abort
      setLoading(true)
      try {
        const found = await load(signal)
        if (signal.aborted) return
        show(found)
        setProblem(undefined)
      } catch (error) {
        if (isAbort(error) || signal.aborted) return
        setProblem(toProblem(error))
      }
      setLoading(false)
    },
    [stop],
  )
  return { read, stop, isLoading, setLoading, problem }
}
