import { signal } from '@preact/signals'

/** Counts the changes to accounts, so that the frame around the screens reads their names again. */
export const accountChanges = signal(0)

export function noteAccountChange(): void {
  accountChanges.value++
}
