import type { Finding, History } from '../history.ts'

/** Each event of the feed that the webhook takes was received at least once, and nothing else was. */
export function findLostWebhooks({ feed, webhookTypes, received }: History): Finding[] {
  const types = new Set(webhookTypes)
  const arrived = new Set(received)
  const sent = new Set(feed.map(({ id }) => id))
  return [
    ...feed
      .filter(({ id, type }) => types.has(type) && !arrived.has(id))
      .map(({ id, type }) => `${type} ${id} was not received`),
    ...[...arrived]
      .filter((id) => !sent.has(id))
      .map((id) => `${id} was received and is not in the feed`),
  ]
}
