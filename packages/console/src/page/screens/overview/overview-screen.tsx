import type { JSX } from 'preact'
import type { Overview } from '../../api/overview.ts'
import { useResource } from '../../api/use-resource.ts'
import { english } from '../../english.ts'
import { navigate, route, toHref } from '../../routing/route.ts'
import { useAccountId } from '../../session/use-access.ts'
import { Button } from '../../ui/button.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { ProblemNotice } from '../../ui/problem-notice.tsx'
import { Segments } from '../../ui/segments.tsx'
import { Loading } from '../../ui/states.tsx'
import { useWebhookHealth } from '../webhooks/use-webhook-health.ts'
import { OverviewCharts } from './overview-charts.tsx'

const t = english.overview
const periods = ['7', '30', '90'] as const
type Period = (typeof periods)[number]

export function OverviewScreen(): JSX.Element {
  const accountId = useAccountId()
  const period = readPeriod()
  const { data, problem, isLoading, reload } = useResource<Overview>('overview', {
    query: { days: period },
    accountId,
  })
  const health = useWebhookHealth()
  const reloadAll = () => Promise.all([reload(), health.reload()])
  // The figures of the previous period stay, dimmed, until those of the chosen period are loaded.
  const isOther = data !== undefined && data.users.by_day.length !== Number(period)
  return (
    <>
      <PageHead
        title={t.title}
        actions={
          <>
            <Segments<Period>
              label={t.period}
              value={period}
              choices={periods.map((value) => ({ value, label: t.days(value) }))}
              onValue={(days) =>
                navigate(toHref(['a', accountId, 'overview'], { days }), { replace: true })
              }
            />
            <Button icon="refresh" isIconOnly isBusy={isLoading} onClick={reloadAll}>
              {english.words.refresh}
            </Button>
          </>
        }
      >
        {t.lead}
      </PageHead>
      <div class={isOther ? 'stack stale' : 'stack'} aria-busy={isLoading}>
        <ProblemNotice problem={problem} onRetry={reload} />
        {data === undefined ? (
          !problem && <Loading />
        ) : (
          <OverviewCharts overview={data} health={health} />
        )}
      </div>
    </>
  )
}

function readPeriod(): Period {
  const asked = route.value.query.get('days')
  return periods.find((period) => period === asked) ?? '30'
}
