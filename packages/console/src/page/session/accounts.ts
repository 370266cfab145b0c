import { signal } from '@preact/signals'

/** Counts the changes to accounts: what stands around the screens names them, too. */
export const accountChanges = signal(0)

export function noteAccountChange(): void {
  accountChanges.value++
}
