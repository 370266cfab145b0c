import type { Finding, History, Rule } from './history.ts'
import { findDuplicateEmails } from './rules/find-duplicate-emails.ts'
import { findForkedTokens } from './rules/find-forked-tokens.ts'
import { findLostUpdates } from './rules/find-lost-updates.ts'
import { findLostWebhooks } from './rules/find-lost-webhooks.ts'
import { findStaleReads } from './rules/find-stale-reads.ts'
import { findWrongEvents } from './rules/find-wrong-events.ts'

const rules = {
  'lost updates': findLostUpdates,
  'stale reads': findStaleReads,
  'duplicate e-mails': findDuplicateEmails,
  'wrong events': findWrongEvents,
  'forked tokens': findForkedTokens,
  'lost webhooks': findLostWebhooks,
} satisfies Record<string, Rule>

export type RuleName = keyof typeof rules

/** The findings of the rules that a history breaks: none when it keeps all. */
export function checkHistory(history: History): Partial<Record<RuleName, Finding[]>> {
  const findings = Object.entries(rules).map(([name, rule]) => [name, rule(history)] as const)
  return Object.fromEntries(findings.filter(([, found]) => found.length > 0))
}
