import type { EventFeed, Webhook } from '@clientele/client'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { request } from '../../api/request.ts'
import { useAction } from '../../api/use-action.ts'
import { useIdempotencyKey } from '../../api/use-idempotency-key.ts'
import { english } from '../../english.ts'
import { useAccess, useAccountId } from '../../session/use-access.ts'
import { type Choice, SelectField, TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { toast } from '../../ui/toasts.tsx'

const t = english.webhooks.replays

type From = '1' | '24' | '168' | 'time' | 'cursor'
const times: readonly Choice<From>[] = [
  { value: '1', label: t.hour },
  { value: '24', label: t.day },
  { value: '168', label: t.week },
  { value: 'time', label: t.time },
]
const cursor: Choice<From> = { value: 'cursor', label: t.cursor }

/** Sends events again: from a time on, or after a cursor of the feed. */
export function ReplayDialog({
  webhook,
  onClose,
}: {
  webhook: Webhook
  onClose: () => void
}): JSX.Element {
  const accountId = useAccountId()
  // Without the scope to read the feed, the user must enter a cursor.
  const choices = useAccess().can('events:read') ? [...times, cursor] : [cursor]
  const [from, setFrom] = useState<From>(choices.length > 1 ? '24' : 'cursor')
  const [typed, setTyped] = useState('')
  const keyOf = useIdempotencyKey()
  const action = useAction(async () => {
    const after = from === 'cursor' ? typed.trim() : await findCursor(accountId, from, typed)
    if (after === undefined) {
      toast(t.nothing)
      return onClose()
    }
    await request(`api/client/webhook/${webhook.id}/replay`, {
      method: 'POST',
      accountId,
      body: { after },
      headers: { 'idempotency-key': keyOf(after) },
    })
    toast(t.sent)
    onClose()
  })
  return (
    <FormDialog
      title={english.webhooks.replay}
      verb={t.verb}
      action={action}
      onSubmit={() => {
        action.run()
      }}
      onClose={onClose}
      checksInBrowser
    >
      <p>{t.text}</p>
      <SelectField label={t.from} value={from} choices={choices} onValue={setFrom} />
      {from === 'time' && (
        <TextField label={t.time} type="datetime-local" value={typed} onValue={setTyped} required />
      )}
      {from === 'cursor' && (
        <TextField
          label={t.cursor}
          hint={t.cursorHint}
          value={typed}
          onValue={setTyped}
          issue={action.problem?.issueOf('after')}
          autocomplete="off"
          spellcheck={false}
          required
        />
      )}
    </FormDialog>
  )
}

/** Finds the cursor just before the first event at or after a time; undefined if there is no such event. */
async function findCursor(
  accountId: string,
  from: From,
  typed: string,
): Promise<string | undefined> {
  const time = from === 'time' ? Date.parse(typed) : Date.now() - Number(from) * 3_600_000
  const read = async (query: Record<string, string | number>) => {
    const answer = await request<EventFeed>('api/client/event', {
      accountId,
      query: { ...query, limit: 1 },
    })
    return answer.data
  }
  const first = await read({ since: new Date(time).toISOString() })
  if (first.data.length === 0) return undefined
  // Reading backwards from the cursor after the first event returns that event, and the cursor just before it.
  const before = await read({ sort: '-created_at', after: first.next_cursor })
  return before.next_cursor
}
