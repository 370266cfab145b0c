import type { Sample } from './measure.ts'

/** Why a table may grow until this many days of the server's time have passed; then it is flat. */
interface Rule {
  days: number
  because: string
}

const hour = 1 / 24
/** From this length on, memory is flat within narrow bounds. */
const warmMinutes = 10
/** The sweeper leaves expired rows for ten minutes, and looks once a minute. */
const atOnce = (because: string): Rule => ({ days: hour, because })

/** Every table: one that is not listed is a fault of the soak. */
const rules: Record<string, Rule> = {
  clientele_migrations: atOnce('one row for each step'),
  clientele_accounts: atOnce('as many as there are'),
  clientele_account_names: atOnce('with their accounts'),
  clientele_api_keys: { days: 401, because: 'revoked keys are listed for 400 days' },
  clientele_trusted_issuers: atOnce('as many as there are'),
  clientele_signing_keys: atOnce('retired keys go when their last token is dead'),
  clientele_imports: { days: 31, because: 'an abandoned import can be resumed for 30 days' },
  clientele_console_links: atOnce('ten minutes'),
  clientele_console_sessions: { days: 1, because: 'twelve hours' },
  clientele_users: atOnce('as many as there are'),
  clientele_user_words: atOnce('with their users'),
  clientele_user_roles: atOnce('with their users'),
  clientele_scim_users: atOnce('with their users'),
  clientele_scim_groups: atOnce('as many as there are'),
  clientele_scim_leases: atOnce('one row for each account'),
  clientele_identities: atOnce('with their users'),
  clientele_verified_emails: atOnce('with their users'),
  clientele_former_emails: atOnce('with their users'),
  clientele_user_counts: atOnce('one row for each account'),
  clientele_user_count_groups: atOnce('by the number of users'),
  clientele_user_count_ranges: atOnce('by the number of users'),
  clientele_user_count_deltas: atOnce('folded soon'),
  clientele_sessions: { days: 31, because: 'an unused session lives for 30 days' },
  clientele_passkeys: atOnce('with their users'),
  clientele_passkey_ceremonies: atOnce('five minutes'),
  clientele_sign_in_codes: atOnce('ten minutes'),
  clientele_mfa_factors: atOnce('with their users'),
  clientele_devices: { days: 91, because: 'a device is remembered for 90 days at most' },
  clientele_email_changes: { days: 4, because: 'a change can be taken back for three days' },
  clientele_user_tokens: { days: 31, because: 'one that has ended is told apart for 30 days' },
  clientele_recovery_codes: atOnce('with their users'),
  clientele_challenges: atOnce('five minutes'),
  clientele_email_tokens: { days: 1.5, because: 'a link to confirm an address is valid for a day' },
  clientele_used_id_tokens: atOnce('as long as their tokens'),
  clientele_replies: { days: 1.5, because: 'responses are kept for a day' },
  clientele_rate_limits: { days: 0.5, because: 'an hour' },
  clientele_events: { days: 91, because: 'events are kept for 90 days' },
  clientele_event_feeds: atOnce('one row for each account'),
  clientele_webhooks: atOnce('as many as there are'),
  clientele_webhook_deliveries: { days: 5, because: 'ten attempts take three days' },
  clientele_webhook_attempts: atOnce('a fixed number for each endpoint'),
}

export interface Verdict {
  name: string
  /** The medians of the samples before the last third, and of the last third */
  before: number
  after: number
  /** The largest value that is still flat */
  most: number
  verdict: 'flat' | 'GROWS' | string
}

/**
 * Compares the last third of a run with the third before it.
 *
 * @param daysPerMinute how many days of the server's time pass in a minute
 */
export function judge(samples: readonly Sample[], daysPerMinute: number): Verdict[] {
  const third = Math.floor(samples.length / 3)
  const [middle, last] = [samples.slice(third, 2 * third), samples.slice(2 * third)]
  const settledMinute = middle[0]?.minute ?? 0
  const settledDays = settledMinute * daysPerMinute
  const compare = (
    name: string,
    read: (sample: Sample) => number,
    slack: number,
    rule?: Rule,
  ): Verdict => {
    const [before, after] = [median(middle.map(read)), median(last.map(read))]
    const most = before * 1.15 + slack
    // Also two looks of the sweeper
    const waitsFor = (rule?.days ?? 0) + 2 * daysPerMinute
    const isEarly = rule !== undefined && settledDays < waitsFor
    const grows = after > most
    const verdict = !grows
      ? 'flat'
      : isEarly
        ? `grows${Number.isFinite(waitsFor) ? ` until day ${Math.ceil(waitsFor)}` : ''}: ${rule.because}`
        : 'GROWS'
    return { name, before, after, most, verdict }
  }
  // The first minutes fill caches, and the collector has seen little yet.
  const memorySlack = (last.at(-1)?.minute ?? 0) < warmMinutes ? 128 : 24
  const tables = [...(last.at(-1)?.rows.keys() ?? [])].sort()
  const indexes = [...(last.at(-1)?.indexKiB.keys() ?? [])].sort()
  const ruleOf = (name: string): Rule | undefined => {
    const table = tables
      .filter((each) => name === each || name.startsWith(`${each}_`) || name.includes(each))
      .sort((left, right) => right.length - left.length)[0]
    return rules[table ?? '']
  }
  const unknown = tables.filter((name) => !Object.hasOwn(rules, name))
  return [
    compare('resident memory, MiB', (sample) => sample.memoryMiB, memorySlack),
    compare('heap in use, MiB', (sample) => sample.heapMiB, memorySlack),
    compare('open files', (sample) => sample.openFiles, 8),
    compare('handles', (sample) => sample.handles, 8),
    ...tables.map((name) => compare(name, ({ rows }) => rows.get(name) ?? 0, 50, rules[name])),
    ...indexes.map((name) =>
      compare(`${name}, KiB`, ({ indexKiB }) => indexKiB.get(name) ?? 0, 256, ruleOf(name)),
    ),
    ...unknown.map((name) => ({ name, before: 0, after: 0, most: 0, verdict: 'has no RULE' })),
  ]
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0
}
