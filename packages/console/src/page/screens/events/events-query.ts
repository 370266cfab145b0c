import { navigate, route, toHref } from '../../routing/route.ts'

/** The filters in the address. */
export interface EventsQuery {
  /** A type, or a group of them */
  type: string
  actor: string
  /** The id or the e-mail of a user */
  about: string
}

export function readEventsQuery(): EventsQuery {
  const { query } = route.value
  return {
    type: query.get('type') ?? '',
    actor: query.get('actor') ?? '',
    about: query.get('about') ?? '',
  }
}

/** Changes the given filters; others stay. */
export function goTo(changes: Partial<EventsQuery>): void {
  const { segments } = route.value
  navigate(toHref(segments, { ...readEventsQuery(), ...changes }), { replace: true })
}
