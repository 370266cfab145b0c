import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { useResource } from '../../api/use-resource.ts'
import { english } from '../../english.ts'
import { useAccountId } from '../../session/use-access.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Empty } from '../../ui/states.tsx'
import { findDrawnTime, findNextChange } from './key-phases.ts'
import { KeyRow } from './key-row.tsx'
import { PhaseSample } from './key-timeline.tsx'
import type { SigningKey, SigningKeyList } from './signing-key.ts'
import { type AskedOfKey, SigningKeyDialogs } from './signing-key-dialogs.tsx'

const t = english.signingKeys
const longestTimerMs = 3_600_000

export function SigningKeysScreen(): JSX.Element {
  const accountId = useAccountId()
  const keys = useResource<SigningKeyList>('signing-keys', { accountId })
  const [asked, setAsked] = useState<AskedOfKey>()
  const { data, reload } = keys
  useEffect(() => {
    // A key changes its state with time: draw it again then.
    const next = findNextChange(data?.signing_keys ?? [], Date.now())
    if (next === undefined) return
    const timer = setTimeout(reload, Math.min(longestTimerMs, next - Date.now() + 1_000))
    return () => clearTimeout(timer)
  }, [data, reload])
  const rotate = (
    <Button kind="primary" icon="refresh" onClick={() => setAsked({ verb: 'rotate' })}>
      {t.rotate}
    </Button>
  )
  return (
    <>
      <PageHead
        title={t.title}
        actions={
          <>
            <Button onClick={() => setAsked({ verb: 'rotateNow' })}>{t.rotateNow}</Button>
            {rotate}
          </>
        }
      >
        {t.lead}
      </PageHead>
      <div class="stack">
        <Loaded resource={keys}>
          {({ signing_keys: found }) =>
            found.length === 0 ? (
              <Empty icon="signing" title={t.none} actions={rotate}>
                {t.noneText}
              </Empty>
            ) : (
              <KeysInTime keys={found} onAsk={setAsked} />
            )
          }
        </Loaded>
      </div>
      {asked && (
        <SigningKeyDialogs asked={asked} onChanged={reload} onClose={() => setAsked(undefined)} />
      )}
    </>
  )
}

function KeysInTime({
  keys,
  onAsk,
}: {
  keys: readonly SigningKey[]
  onAsk: (asked: AskedOfKey) => void
}): JSX.Element {
  const drawn = findDrawnTime(keys, Date.now())
  return (
    <Card title={t.inTime} actions={<Legend />}>
      <ul class="key-rows">
        {keys.toReversed().map((key) => (
          <KeyRow
            key={key.id}
            signingKey={key}
            drawn={drawn}
            onRetire={() => onAsk({ verb: 'retire', signingKey: key })}
            onRemove={() => onAsk({ verb: 'remove', signingKey: key })}
          />
        ))}
      </ul>
    </Card>
  )
}

function Legend(): JSX.Element {
  return (
    <ul class="row muted small">
      {(['published', 'signing', 'retired'] as const).map((kind) => (
        <li key={kind} class="row tight">
          <PhaseSample kind={kind} /> {t.phases[kind]}
        </li>
      ))}
    </ul>
  )
}
