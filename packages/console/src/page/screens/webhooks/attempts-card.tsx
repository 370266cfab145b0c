import type { Webhook, WebhookAttempts } from '@clientele/client'
import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { request } from '../../api/request.ts'
import { useAction } from '../../api/use-action.ts'
import { useResource } from '../../api/use-resource.ts'
import { english } from '../../english.ts'
import { useAccountId } from '../../session/use-access.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { formatNumber } from '../../ui/format.ts'
import { ProblemNotice } from '../../ui/problem-notice.tsx'
import { Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toasts.tsx'

const t = english.webhooks

type Attempt = WebhookAttempts['data'][number]

const shownAtFirst = 10
const lookAgainMs = 1_500
const looksAfterTest = 12

/** The deliveries to an endpoint and their responses; a test can be sent, and its delivery appears. */
export function AttemptsCard({ webhook }: { webhook: Webhook }): JSX.Element {
  const accountId = useAccountId()
  const path = `api/client/webhook/${webhook.id}`
  const { data, problem, isLoading, reload } = useResource<WebhookAttempts>(`${path}/attempt`, {
    accountId,
  })
  const [isWhole, setWhole] = useState(false)
  const [looksLeft, setLooksLeft] = useState(0)
  const key = useRef<string>(crypto.randomUUID())
  const newest = data?.data[0]?.id
  const awaited = useRef<string | undefined>(undefined)
  const test = useAction(async () => {
    awaited.current = newest
    await request(`${path}/test`, {
      method: 'POST',
      accountId,
      headers: { 'idempotency-key': key.current },
    })
    key.current = crypto.randomUUID()
    toast(t.testSent)
    setLooksLeft(looksAfterTest)
  })
  // Reload until the attempt of the test appears, but only a few times.
  useEffect(() => {
    if (looksLeft === 0) return
    if (newest !== awaited.current) return setLooksLeft(0)
    const timer = setTimeout(async () => {
      await reload()
      setLooksLeft(looksLeft - 1)
    }, lookAgainMs)
    return () => clearTimeout(timer)
  }, [looksLeft, newest])

  const attempts = data?.data
  return (
    <Card
      title={t.attempts}
      actions={
        <>
          <Button
            icon="refresh"
            isIconOnly
            isBusy={isLoading && attempts !== undefined}
            onClick={reload}
          >
            {english.words.refresh}
          </Button>
          <Button icon="play" isBusy={test.isRunning} onClick={() => test.run()}>
            {t.test}
          </Button>
        </>
      }
    >
      <ProblemNotice problem={test.problem ?? problem} onRetry={reload} />
      {attempts === undefined && isLoading && <Loading />}
      {attempts?.length === 0 && <p class="muted">{t.noAttempts}</p>}
      {attempts !== undefined && attempts.length > 0 && (
        <DataTable
          caption={t.attempts}
          columns={columns}
          rows={isWhole ? attempts : attempts.slice(0, shownAtFirst)}
          keyOf={({ id }) => id}
        />
      )}
      {attempts !== undefined && attempts.length > shownAtFirst && !isWhole && (
        <div class="row">
          <Button kind="quiet" icon="down" onClick={() => setWhole(true)}>
            {t.showAll(attempts.length)}
          </Button>
        </div>
      )}
    </Card>
  )
}

const columns: Column<Attempt>[] = [
  {
    key: 'type',
    label: t.event,
    cell: ({ type, attempted_at: at }) => (
      <div class="identity">
        <code>{type}</code>
        <span class="muted narrow-only">
          <Time at={at} />
        </span>
      </div>
    ),
  },
  { key: 'status', label: t.answer, cell: (attempt) => <Status {...attempt} /> },
  {
    key: 'attempt',
    label: t.attempt,
    isNumber: true,
    isWideOnly: true,
    cell: ({ attempt }) => attempt,
  },
  {
    key: 'duration',
    label: t.duration,
    isNumber: true,
    isWideOnly: true,
    cell: ({ duration_ms: durationMs }) => `${formatNumber(durationMs)} ms`,
  },
  {
    key: 'at',
    label: t.when,
    isWideOnly: true,
    cell: ({ attempted_at: at }) => <Time at={at} />,
  },
]

function Status({ status, reason }: Pick<Attempt, 'status' | 'reason'>): JSX.Element {
  if (status === null)
    return <Badge kind="bad">{reason === 'error' ? t.ourError : t.noAnswer}</Badge>
  const hasWorked = status >= 200 && status < 300
  return <Badge kind={hasWorked ? 'good' : 'bad'}>{t.status(status, hasWorked)}</Badge>
}
