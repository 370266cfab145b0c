import type { JSX } from 'preact'
import { english } from '../../english.ts'
import { useAccountId } from '../../session/use-access.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Notice, ProblemNotice } from '../../ui/problem-notice.tsx'
import { ProgressBar } from '../../ui/progress-bar.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { ExportRun, exportRun } from './export-run.ts'

const t = english.transfer

export function ExportCard(): JSX.Element {
  const accountId = useAccountId()
  const run = exportRun.value
  const shown = run?.accountId === accountId ? run : undefined
  const phase = run?.state.value.phase
  const start = async () => {
    const started = new ExportRun(accountId)
    exportRun.value = started
    await started.run()
    if (started.state.value.phase === 'done') save(started)
  }
  return (
    <Card title={t.export}>
      <p class="muted">{t.exportText}</p>
      <div class="row">
        <Button
          kind="primary"
          icon="download"
          disabled={phase === 'running' || phase === 'paused'}
          onClick={start}
        >
          {t.exportVerb}
        </Button>
      </div>
      {shown && <ExportProgress run={shown} />}
    </Card>
  )
}

function ExportProgress({ run }: { run: ExportRun }): JSX.Element {
  const { phase, records, total, problem } = run.state.value
  const retry = async () => {
    await run.run()
    if (run.state.value.phase === 'done') save(run)
  }
  return (
    <div class="stack run">
      <ProgressBar label={t.exporting} value={records} max={total || 1}>
        {t.users(formatNumber(records), formatNumber(total))}
      </ProgressBar>
      <ProblemNotice problem={problem} onRetry={retry} />
      {(phase === 'running' || phase === 'paused') && (
        <div class="row">
          <Button icon="close" onClick={() => run.stop()}>
            {t.stop}
          </Button>
        </div>
      )}
      {phase === 'stopped' && <Notice kind="warn">{t.exportStopped}</Notice>}
      {phase === 'done' && (
        <>
          <Notice kind="good">{t.exported}</Notice>
          <div class="row">
            <Button icon="download" onClick={() => save(run)}>
              {t.saveAgain}
            </Button>
          </div>
        </>
      )}
    </div>
  )
}

function save({ accountId, parts }: ExportRun): void {
  const day = new Date().toISOString().slice(0, 10)
  saveFile(`users-${accountId}-${day}.ndjson`, 'application/x-ndjson', [...parts])
}
