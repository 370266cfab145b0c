import type { JSX } from 'preact'
import { english } from '../../english.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Time } from '../../ui/time.tsx'
import { type DrawnTime, everSigns } from './key-phases.ts'
import { KeyTimeline } from './key-timeline.tsx'
import type { SigningKey } from './signing-key.ts'

const t = english.signingKeys
const kinds = { pending: 'accent', active: 'good', retired: 'plain' } as const

export function KeyRow({
  signingKey,
  drawn,
  onRetire,
  onRemove,
}: {
  signingKey: SigningKey
  drawn: DrawnTime
  onRetire: () => void
  onRemove: () => void
}): JSX.Element {
  const { id, algorithm, status } = signingKey
  return (
    <li class="key-row">
      <div class="key-head">
        <span class="row tight grow">
          <strong>{algorithm}</strong>
          <Badge kind={kinds[status]}>{t.states[status]}</Badge>
          <code class="muted">{id}</code>
          <CopyButton text={id} label={t.copyId} isIconOnly />
        </span>
        <span class="row tight">
          {status !== 'retired' && <Button onClick={onRetire}>{t.retire}</Button>}
          <Button icon="trash" onClick={onRemove}>
            {t.remove}
          </Button>
        </span>
      </div>
      <KeyTimeline signingKey={signingKey} drawn={drawn} />
      <p class="muted small">
        <Life signingKey={signingKey} now={drawn.now} />
      </p>
    </li>
  )
}

/** The times that `KeyTimeline` draws, in words. */
function Life({ signingKey, now }: { signingKey: SigningKey; now: number }): JSX.Element {
  const { created_at: created, signs_at: signs, retired_at: retired } = signingKey
  return (
    <>
      {t.published} <Time at={created} />
      {everSigns(signingKey) && (
        <>
          {' '}
          · {Date.parse(signs) > now ? t.willSign : t.signed} <Time at={signs} />
        </>
      )}
      {retired !== null && (
        <>
          {' '}
          · {Date.parse(retired) > now ? t.willRetire : t.retired} <Time at={retired} />
        </>
      )}
    </>
  )
}
