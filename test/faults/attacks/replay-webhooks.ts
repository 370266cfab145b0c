import { eventTypeNames } from '@clientele/core'
import type { Target } from './attack.ts'
import { get, postTo } from './messages.ts'
import type { Message } from './ways.ts'

/** Adds ten endpoints for every type but those that the account's history has, and answers with what replays one of them. */
export async function addEndpoints(target: Target): Promise<(count: number) => Message> {
  const send = async ({ line, headers, body }: Message) => {
    const [method = '', path = ''] = line.split(' ')
    const response = await fetch(target.base + path, {
      method,
      headers: { ...headers, 'content-type': 'application/json' },
      ...(body !== undefined && { body }),
    })
    return JSON.parse(await response.text())
  }
  const types = eventTypeNames.filter((name) => !/^(account|user|webhook|events?)\b/.test(name))
  const ids: string[] = []
  for (let count = 0; count < 10; count++) {
    const body = JSON.stringify({ url: `https://example.com/${count}`, types })
    const { id } = await send(postTo('/client/webhook', target, body))
    // A further try finds those of the first one.
    if (id !== undefined) ids.push(id)
  }
  if (ids.length === 0)
    for (const { id } of (await send(get('/client/webhook', target))).data) ids.push(id)
  const { next_cursor: after } = await send(get('/client/event?limit=1', target))
  return (count) =>
    postTo(`/client/webhook/${ids[count % ids.length]}/replay`, target, JSON.stringify({ after }))
}
