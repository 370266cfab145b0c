import { english } from '../../english.ts'
import type { Choice } from '../../ui/field.tsx'

const days = { '30': 30, '90': 90, '365': 365 }
export type ExpiryChoice = 'never' | keyof typeof days | 'date'

export const expiryChoices: readonly Choice<ExpiryChoice>[] = [
  { value: 'never', label: english.words.never },
  { value: '30', label: english.keys.inDays(30) },
  { value: '90', label: english.keys.inDays(90) },
  { value: '365', label: english.keys.inDays(365) },
  { value: 'date', label: english.keys.onDate },
]

/** The expiry of a chosen option. */
export function toExpiry(choice: ExpiryChoice, typed: string): string | null {
  if (choice === 'never') return null
  if (choice !== 'date') return new Date(Date.now() + days[choice] * 86_400_000).toISOString()
  return new Date(typed).toISOString()
}
