import type { UserList } from '@clientele/client'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { isUuid } from '../../api/is-uuid.ts'
import { useAction } from '../../api/use-action.ts'
import { useResource } from '../../api/use-resource.ts'
import { english } from '../../english.ts'
import { useAccountId } from '../../session/use-access.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Notice, ProblemNotice } from '../../ui/problem-notice.tsx'
import { Empty, Loading } from '../../ui/states.tsx'
import { EventRow } from './event-row.tsx'
import { toTypeParameter } from './event-types.ts'
import { EventsFilters } from './events-filters.tsx'
import { readEventsQuery } from './events-query.ts'
import { type EventFeedState, useEventFeed } from './use-event-feed.ts'
import { useVisible } from './use-visible.ts'

const t = english.events

export function EventsScreen(): JSX.Element {
  const accountId = useAccountId()
  const shown = readEventsQuery()
  const [isPaused, setPaused] = useState(false)
  const isVisible = useVisible()
  const user = useUserId(accountId, shown.about)
  const feed = useEventFeed(
    accountId,
    user.isLoading
      ? undefined
      : {
          type: toTypeParameter(shown.type),
          actor: shown.actor || undefined,
          // An unknown user matches nothing.
          user_id: shown.about === '' ? undefined : (user.id ?? noUserId),
        },
    isPaused || !isVisible,
  )
  const isFiltered = shown.type !== '' || shown.actor !== '' || shown.about !== ''
  return (
    <>
      <PageHead
        title={t.title}
        actions={
          <>
            <FeedState isPaused={isPaused} feed={feed} />
            <Button icon={isPaused ? 'play' : 'pause'} onClick={() => setPaused(!isPaused)}>
              {isPaused ? t.resume : t.pause}
            </Button>
          </>
        }
      >
        {t.lead}
      </PageHead>
      <EventsFilters shown={shown} issue={user.issue} />
      <div class="stack">
        <ProblemNotice problem={user.problem ?? feed.problem} onRetry={feed.retry} />
        {feed.problem && feed.events !== undefined && <Notice kind="warn">{t.retrying}</Notice>}
        <EventList feed={feed} isFiltered={isFiltered} />
      </div>
    </>
  )
}

function FeedState({
  isPaused,
  feed: { events, problem },
}: {
  isPaused: boolean
  feed: EventFeedState
}): JSX.Element | null {
  if (isPaused) return <Badge>{t.paused}</Badge>
  if (problem) return <Badge kind="warn">{t.notLive}</Badge>
  if (events === undefined) return null
  return (
    <span class="live">
      <Badge kind="good">{t.live}</Badge>
    </span>
  )
}

function EventList({
  feed,
  isFiltered,
}: {
  feed: EventFeedState
  isFiltered: boolean
}): JSX.Element | null {
  const { events, fresh, hasOlder, problem, isStale } = feed
  const older = useAction(feed.loadOlder)
  if (events === undefined) return problem ? null : <Loading />
  return (
    <>
      {events.length === 0 && !hasOlder && (
        <Empty icon="events" title={isFiltered ? t.noneFound : t.none}>
          {isFiltered ? t.noneFoundText : t.noneText}
        </Empty>
      )}
      {events.length > 0 && (
        <ol class={isStale ? 'events stale' : 'events'} aria-label={t.title} aria-busy={isStale}>
          {events.map((event) => (
            <EventRow key={event.id} event={event} isFresh={fresh.has(event.id)} />
          ))}
        </ol>
      )}
      <ProblemNotice problem={older.problem} onRetry={() => older.run()} />
      {hasOlder ? (
        <div class="row centred">
          <Button icon="down" isBusy={older.isRunning} onClick={() => older.run()}>
            {events.length === 0 ? t.searchOlder : t.loadOlder}
          </Button>
        </div>
      ) : (
        events.length > 0 && <p class="muted small centred">{t.beginning}</p>
      )}
    </>
  )
}

const noUserId = '00000000-0000-7000-8000-000000000000'

/** The id of the user for an entered id or e-mail. */
function useUserId(accountId: string, typed: string) {
  const text = typed.trim()
  const isId = isUuid(text)
  const isEmail = text.includes('@')
  const { data, problem, isLoading } = useResource<UserList>(
    isEmail ? 'api/client/user' : undefined,
    { accountId, query: { email: text } },
  )
  const id = isId ? text.toLowerCase() : isEmail ? data?.data[0]?.id : undefined
  const isUnknown = text !== '' && !isLoading && id === undefined && problem === undefined
  const issue = problem?.status === 422 || isUnknown ? (isEmail ? t.noUser : t.noId) : undefined
  const isRefused = problem?.status === 422
  return { id, issue, problem: isRefused ? undefined : problem, isLoading: isEmail && isLoading }
}
