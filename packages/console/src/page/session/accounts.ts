import { signal } from '@preact/signals'

/** Counts the changes to accounts: the frame around the screens shows their names, too. */
export const accountChanges = signal(0)

export function noteAccountChange(): void {
  accountChanges.value++
}
