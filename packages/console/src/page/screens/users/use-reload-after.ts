import { useEffect, useRef } from 'preact/hooks'
import type { Resource } from '../../api/use-resource.ts'

/** Reads again after each change, so that all cards show it. */
export function useReloadAfter(
  changes: number,
  { reload }: Pick<Resource<unknown>, 'reload'>,
): void {
  const seen = useRef(changes)
  useEffect(() => {
    if (seen.current === changes) return
    seen.current = changes
    reload()
  }, [changes, reload])
}

/** The props of the cards about one user. */
export interface UserCardProps {
  userId: string
  /** How many changes there were */
  changes: number
  onChanged: () => void
}
