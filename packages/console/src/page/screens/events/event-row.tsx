import type { Event } from '@clientele/client'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { english } from '../../english.ts'
import { toHref } from '../../routing/route.ts'
import { useAccess, useAccountId } from '../../session/use-access.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { formatTime } from '../../ui/format.ts'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { Time } from '../../ui/time.tsx'
import { type EventGroup, groupOf, isAlarming } from './event-types.ts'

const t = english.events

const icons: Record<EventGroup, IconName> = {
  users: 'users',
  signIn: 'issuers',
  factors: 'passkey',
  keys: 'keys',
  webhooks: 'webhooks',
  account: 'accounts',
}

/** An event as one line, which opens to show all its details. */
export function EventRow({ event, isFresh }: { event: Event; isFresh: boolean }): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  const { type, actor } = event
  return (
    <li class={isFresh ? 'event fresh' : 'event'}>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <span class={isAlarming(type) ? 'event-icon bad' : 'event-icon'}>
            <Icon name={isAlarming(type) ? 'warning' : icons[groupOf(type)]} size={16} />
          </span>
          <code class="event-type">{type}</code>
          <span class="event-about">{nameSubject(event)}</span>
          <span class="event-actor muted">{t.by[actor.type]}</span>
          <span class="event-time muted">
            <Time at={event.created_at} />
          </span>
        </summary>
        {isOpen && <EventDetail event={event} />}
      </details>
    </li>
  )
}

function EventDetail({ event }: { event: Event }): JSX.Element {
  const { actor, subject } = event
  const json = JSON.stringify(event, null, 2)
  return (
    <div class="event-detail">
      <dl class="facts">
        <dt>{t.when}</dt>
        <dd>{formatTime(event.created_at)}</dd>
        <dt>{t.subject}</dt>
        <dd>
          <Party type={subject.type} id={subject.id} />
        </dd>
        <dt>{t.actor}</dt>
        <dd>
          <Party type={actor.type} id={actor.id} />
        </dd>
        <dt>{t.request}</dt>
        <dd>
          <code>{event.request_id}</code>
        </dd>
      </dl>
      <div class="code-frame">
        <CopyButton text={json} label={t.copyJson} />
        <pre>{json}</pre>
      </div>
    </div>
  )
}

function Party({ type, id }: { type: string; id: string | null }): JSX.Element {
  const { can } = useAccess()
  const accountId = useAccountId()
  const word = t.parties[type as keyof typeof t.parties] ?? type // a known word, or the type itself
  if (id === null) return <>{word}</>
  const isLinked = type === 'user' && can('users:read')
  return (
    <>
      {word}{' '}
      {isLinked ? (
        <a href={toHref(['a', accountId, 'users', id])}>
          <code>{id}</code>
        </a>
      ) : (
        <code>{id}</code>
      )}
    </>
  )
}

/** The readable name of the subject or actor. */
function nameSubject({ data, subject }: Event): string {
  for (const found of [nested(data.user, 'name'), data.email, nested(data.account, 'name')]) {
    if (typeof found === 'string') return found
  }
  for (const found of [data.name, data.issuer, data.description]) {
    if (typeof found === 'string' && found !== '') return found
  }
  if (typeof data.count === 'number') return t.imported(data.count)
  return subject.id === null ? '' : `${subject.id.slice(0, 8)}…`
}

function nested(value: unknown, member: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, member) : undefined
}
