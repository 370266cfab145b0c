import type { JSX } from 'preact'
import { english } from '../../english.ts'
import { Badge } from '../../ui/badge.tsx'
import type { ApiKey } from './api-key.ts'

const t = english.keys.states
const soonMs = 14 * 86_400_000

/** Whether a key is accepted. */
export function KeyState({ apiKey }: { apiKey: ApiKey }): JSX.Element {
  const { expires_at: expiresAt, revoked_at: revokedAt } = apiKey
  if (revokedAt !== null) return <Badge kind="bad">{t.revoked}</Badge>
  if (expiresAt === null) return <Badge kind="good">{t.works}</Badge>
  const left = Date.parse(expiresAt) - Date.now()
  if (left <= 0) return <Badge>{t.expired}</Badge>
  return left < soonMs ? (
    <Badge kind="warn">{t.endsSoon}</Badge>
  ) : (
    <Badge kind="good">{t.works}</Badge>
  )
}
