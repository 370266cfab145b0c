import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { english } from '../../english.ts'
import { Badge } from '../../ui/badge.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { formatNumber } from '../../ui/format.ts'
import type { TriedAnswer } from './try-request.ts'

const t = english.reference

/** Shows the response to a tried request, and scrolls to it. */
export function TriedAnswerView({
  answer: { status, headers, text, durationMs },
}: {
  answer: TriedAnswer
}): JSX.Element {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => place.current?.scrollIntoView({ block: 'nearest' }), [text, status, durationMs])
  return (
    <div ref={place} class="stack tried" role="status">
      <p class="row">
        <Badge kind={status < 400 ? 'good' : 'bad'}>{status}</Badge>
        <span class="muted small">{t.took(formatNumber(durationMs))}</span>
      </p>
      <dl class="facts small">
        {headers.map(([name, value]) => [
          <dt key={name}>{name}</dt>,
          <dd key={`${name} value`}>
            <code>{value}</code>
          </dd>,
        ])}
      </dl>
      {text !== '' && (
        <div class="code-frame">
          <CopyButton text={text} />
          <pre>{text}</pre>
        </div>
      )}
    </div>
  )
}
