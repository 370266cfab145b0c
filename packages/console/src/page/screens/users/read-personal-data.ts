import type { PersonalData } from '@clientele/client'
import { request } from '../../api/request.ts'

/** Reads all data about a person: the first response, with the events of the following ones added. */
export async function readPersonalData(
  accountId: string,
  userId: string,
): Promise<Omit<PersonalData, 'next_cursor' | 'has_more'>> {
  const path = `api/client/user/${userId}/export`
  const { data: first } = await request<PersonalData>(path, { accountId })
  const { next_cursor, has_more, ...rest } = first
  const events = [...first.events]
  let [after, hasMore] = [next_cursor, has_more]
  while (hasMore) {
    const { data: page } = await request<PersonalData>(path, { accountId, query: { after } })
    events.push(...page.events)
    after = page.next_cursor
    hasMore = page.has_more
  }
  return { ...rest, events }
}
