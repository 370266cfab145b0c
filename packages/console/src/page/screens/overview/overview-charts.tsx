import type { JSX } from 'preact'
import type { Overview } from '../../api/overview.ts'
import { english } from '../../english.ts'
import { toHref } from '../../routing/route.ts'
import { useAccess, useAccountId } from '../../session/use-access.ts'
import { LinkButton } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { BarChart } from '../../ui/charts/bar-chart.tsx'
import { LineChart } from '../../ui/charts/line-chart.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Empty } from '../../ui/states.tsx'
import type { HealthResource } from '../webhooks/use-webhook-health.ts'
import { WebhookHealthCard } from './webhook-health-card.tsx'

const t = english.overview

export function OverviewCharts({
  overview,
  health,
}: {
  overview: Overview
  health: HealthResource
}): JSX.Element {
  const { can } = useAccess()
  const { users, sign_ins: signIns } = overview
  const days = users.by_day.map(({ day }) => day)
  const isQuiet = signIns.by_day.every(({ succeeded, failed }) => succeeded + failed === 0)
  return (
    <>
      {users.total === 0 && <NoUsers />}
      <KeyFigures overview={overview} />
      <Card title={t.usersOverTime}>
        <LineChart
          title={t.usersOverTime}
          label={t.users}
          days={days}
          values={users.by_day.map(({ total }) => total)}
        />
      </Card>
      <div class="grid">
        <Card title={t.signInsByDay}>
          {isQuiet ? (
            <p class="muted">{t.noSignIns}</p>
          ) : (
            <BarChart
              title={t.signInsByDay}
              days={signIns.by_day.map(({ day }) => day)}
              series={[
                {
                  label: t.succeeded,
                  look: 'first',
                  values: signIns.by_day.map(({ succeeded }) => succeeded),
                },
                {
                  label: t.failed,
                  look: 'second',
                  values: signIns.by_day.map(({ failed }) => failed),
                },
              ]}
            />
          )}
        </Card>
        {can('webhooks:write') && <WebhookHealthCard health={health} />}
      </div>
    </>
  )
}

function KeyFigures({ overview }: { overview: Overview }): JSX.Element {
  const { users, sign_ins: signIns, sessions } = overview
  const created = sum(users.by_day.map((day) => day.created))
  const succeeded = sum(signIns.by_day.map((day) => day.succeeded))
  const failed = sum(signIns.by_day.map((day) => day.failed))
  return (
    <dl class="figures">
      <Figure label={t.users} value={users.total} note={t.active(formatNumber(users.active))} />
      <Figure label={t.newUsers} value={created} note={t.inDays(users.by_day.length)} />
      <Figure
        label={t.signIns}
        value={succeeded}
        note={t.failures(formatNumber(failed), formatShare(failed, succeeded + failed))}
      />
      <Figure label={t.sessions} value={sessions.alive} note={t.sessionsNote} />
    </dl>
  )
}

function Figure({
  label,
  value,
  note,
}: {
  label: string
  value: number
  note: string
}): JSX.Element {
  return (
    <div class="figure">
      <dt>{label}</dt>
      <dd class="value">{formatNumber(value)}</dd>
      <dd class="note">{note}</dd>
    </div>
  )
}

function NoUsers(): JSX.Element {
  const { can } = useAccess()
  const accountId = useAccountId()
  return (
    <Empty
      icon="users"
      title={t.noUsers}
      actions={
        can('users:write') && (
          <>
            <LinkButton kind="primary" icon="users" href={toHref(['a', accountId, 'users'])}>
              {t.toUsers}
            </LinkButton>
            <LinkButton icon="upload" href={toHref(['a', accountId, 'transfer'])}>
              {t.toImport}
            </LinkButton>
          </>
        )
      }
    >
      {t.noUsersText}
    </Empty>
  )
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function formatShare(part: number, whole: number): string {
  if (whole === 0 || part === 0) return '0 %'
  const percent = (part / whole) * 100
  return percent < 0.1 ? '< 0.1 %' : `${percent.toFixed(percent < 10 ? 1 : 0)} %`
}
