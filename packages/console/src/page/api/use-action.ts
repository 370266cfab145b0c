import { useState } from 'preact/hooks'
import { isAbort, type Problem, toProblem } from './problem.ts'

export interface Action<Input extends unknown[]> {
  /** Runs it, unless it is running; true when it succeeded. The error is in `problem`. */
  run: (...input: Input) => Promise<boolean>
  isRunning: boolean
  problem: Problem | undefined
  clear: () => void
}

/** An action of the user: runs once at a time, and keeps its error for display. */
export function useAction<Input extends unknown[]>(
  act: (...input: Input) => Promise<unknown>,
): Action<Input> {
  const [isRunning, setRunning] = useState(false)
  const [problem, setProblem] = useState<Problem>()
  return {
    isRunning,
    problem,
    clear: () => setProblem(undefined),
    run: async (...input) => {
      if (isRunning) return false
      setRunning(true)
      setProblem(undefined)
      try {
        await act(...input)
        return true
      } catch (error) {
        if (!isAbort(error)) setProblem(toProblem(error))
        return false
      } finally {
        setRunning(false)
      }
    },
  }
}
