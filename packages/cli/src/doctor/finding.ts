import { describeFault } from '../describe-fault.ts'

/** What `clientele doctor` says about one thing. */
export interface Finding {
  check: string
  status: 'ok' | 'warning' | 'failed'
  message: string
  /** What to do; undefined: nothing */
  advice?: string
}

/** A check that fails for a reason becomes a finding with this advice. */
export async function examine(
  check: string,
  advice: string,
  work: () => Promise<Omit<Finding, 'check'>>,
): Promise<Finding> {
  try {
    return { check, ...(await work()) }
  } catch (error) {
    const fault = error instanceof Error ? error : new Error(String(error))
    return { check, status: 'failed', message: describeFault(fault), advice }
  }
}
