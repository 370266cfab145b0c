import type { Event } from '@clientele/client'
import type { JSX } from 'preact'
import { english } from '../../english.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ProblemNotice } from '../../ui/problem-notice.tsx'
import { Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { nameMethod } from './name-method.ts'
import { useUserEvents } from './use-user-events.ts'

const t = english.user.timeline

/** The events of a user, newest first. */
export function TimelineCard({
  userId,
  changes,
}: {
  userId: string
  changes: number
}): JSX.Element {
  const { events, hasOlder, isLoading, problem, reload, loadOlder } = useUserEvents(userId, changes)
  return (
    <Card
      title={t.title}
      actions={
        <Button kind="quiet" icon="refresh" isIconOnly isBusy={isLoading} onClick={reload}>
          {english.words.refresh}
        </Button>
      }
    >
      <ProblemNotice problem={problem} onRetry={reload} />
      {events === undefined && isLoading && <Loading />}
      {events?.length === 0 && !hasOlder && <p class="muted">{t.none}</p>}
      {events !== undefined && events.length > 0 && (
        <ol class="timeline">
          {events.map((event) => (
            <TimelineItem key={event.id} event={event} userId={userId} />
          ))}
        </ol>
      )}
      {hasOlder && (
        <div class="row">
          <Button isBusy={isLoading} onClick={loadOlder}>
            {t.older}
          </Button>
        </div>
      )}
    </Card>
  )
}

const bad = new Set<Event['type']>([
  'user.login_failed',
  'session.reuse_detected',
  'user.deactivated',
  'user.deleted',
])

function TimelineItem({ event, userId }: { event: Event; userId: string }): JSX.Element {
  const { type, actor, data } = event
  const names: Partial<Record<Event['type'], string>> = t.types
  const isOwn = actor.type === 'user' && actor.id === userId
  const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
  const details = [...list(data.changed), ...list(data.amr).map(nameMethod)]
  return (
    <li class={bad.has(type) ? 'moment bad' : 'moment'}>
      <div class="identity">
        <strong>{names[type] ?? type}</strong>
        <span class="muted">
          {details.length > 0 && `${details.join(', ')} · `}
          {isOwn ? t.bySelf : t.actors[actor.type]} · <Time at={event.created_at} />
        </span>
      </div>
    </li>
  )
}
