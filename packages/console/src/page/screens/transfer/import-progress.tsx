import type { JSX } from 'preact'
import { english } from '../../english.ts'
import { Button } from '../../ui/button.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Notice, ProblemNotice } from '../../ui/problem-notice.tsx'
import { ProgressBar } from '../../ui/progress-bar.tsx'
import { ImportErrors } from './import-errors.tsx'
import type { ImportRun } from './import-run.ts'
import type { ImportState } from './import-state.ts'

const t = english.transfer

/** The progress, the problems and the result of an import. */
export function ImportProgress({ run }: { run: ImportRun }): JSX.Element {
  const state = run.state.value
  const { isDryRun } = run.settings
  const isOpen = state.phase === 'running' || state.phase === 'paused'
  return (
    <div class="stack run">
      <ProgressBar
        label={isDryRun ? t.trying(run.file.name) : t.importing(run.file.name)}
        value={state.bytes}
        max={run.file.size}
      >
        {t.lines(formatNumber(state.line))}
      </ProgressBar>
      <ProblemNotice problem={state.problem} onRetry={() => run.run()} />
      {state.problem && !isDryRun && <p class="muted small">{t.retryText}</p>}
      {isOpen && (
        <div class="row">
          <Button icon="close" onClick={() => run.stop()}>
            {t.stop}
          </Button>
        </div>
      )}
      {!isOpen && <Ending state={state} isDryRun={isDryRun} />}
      <Counts state={state} isDryRun={isDryRun} />
      <ImportErrors state={state} fileName={run.file.name} />
    </div>
  )
}

function Ending({ state, isDryRun }: { state: ImportState; isDryRun: boolean }): JSX.Element {
  const { phase, stoppedAtLine, refusal, errorCount } = state
  if (phase === 'refused') return <Notice kind="warn">{refusal}</Notice>
  if (stoppedAtLine !== null) {
    const line = formatNumber(stoppedAtLine)
    return <Notice kind="warn">{isDryRun ? t.wouldStopAt(line) : t.stoppedAt(line)}</Notice>
  }
  if (phase === 'stopped') {
    const line = formatNumber(state.line)
    return <Notice kind="warn">{isDryRun ? t.dryRunStopped : t.stoppedAfter(line)}</Notice>
  }
  if (errorCount > 0) return <Notice kind="warn">{isDryRun ? t.triedBad : t.doneBad}</Notice>
  return <Notice kind="good">{isDryRun ? t.tried : t.done}</Notice>
}

function Counts({ state, isDryRun }: { state: ImportState; isDryRun: boolean }): JSX.Element {
  const words = isDryRun ? t.wouldCounts : t.counts
  const counts = [
    [words.imported, state.imported],
    [words.updated, state.updated],
    [words.skipped, state.skipped],
    [words.withoutPassword, state.withoutPassword],
  ] as const
  return (
    <dl class="counts">
      {counts.map(([label, count]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{formatNumber(count)}</dd>
        </div>
      ))}
    </dl>
  )
}
