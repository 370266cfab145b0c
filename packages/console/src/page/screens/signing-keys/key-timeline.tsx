import type { JSX } from 'preact'
import { type DrawnTime, type KeyPhase, listPhases } from './key-phases.ts'
import type { SigningKey } from './signing-key.ts'

const height = 26

/** A key's lifetime as a bar. The same content is in words beside it. */
export function KeyTimeline({
  signingKey,
  drawn,
}: {
  signingKey: SigningKey
  drawn: DrawnTime
}): JSX.Element {
  const place = (time: number) => (100 * (time - drawn.from)) / (drawn.to - drawn.from)
  return (
    <svg class="key-bar" width="100%" height={height} aria-hidden="true" focusable="false">
      {listPhases(signingKey, drawn).map((phase) => (
        <PhaseBar key={phase.kind} phase={phase} place={place} />
      ))}
      <line
        class="now"
        x1={`${place(drawn.now)}%`}
        x2={`${place(drawn.now)}%`}
        y1="0"
        y2={height}
      />
    </svg>
  )
}

function PhaseBar({
  phase: { kind, from, to },
  place,
}: {
  phase: KeyPhase
  place: (time: number) => number
}): JSX.Element {
  const bar = bars[kind]
  return (
    <rect
      class={`phase ${kind}`}
      x={`${place(from)}%`}
      y={(height - bar) / 2}
      width={`${Math.max(0.4, place(to) - place(from))}%`}
      height={bar}
      rx="4"
    />
  )
}

/** The height of each kind of bar, so that kinds differ without colours. */
const bars = { published: 10, signing: 16, retired: 4 } as const

/** The same three, small, for the legend. */
export function PhaseSample({ kind }: { kind: KeyPhase['kind'] }): JSX.Element {
  const bar = bars[kind]
  return (
    <svg class="key-bar" width="28" height="20" aria-hidden="true" focusable="false">
      <rect class={`phase ${kind}`} x="2" y={(20 - bar) / 2} width="24" height={bar} rx="4" />
    </svg>
  )
}
