import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { english } from '../../english.ts'
import { useAccountId } from '../../session/use-access.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CheckField, type Choice, Field, SelectField } from '../../ui/field.tsx'
import { Notice } from '../../ui/problem-notice.tsx'
import { ImportProgress } from './import-progress.tsx'
import { ImportRun, importRun } from './import-run.ts'
import type { ImportSettings } from './import-state.ts'
import { findUnknownColumns } from './read-records.ts'

const t = english.transfer

const errorChoices: readonly Choice<ImportSettings['onError']>[] = [
  { value: 'stop', label: t.choices.stop },
  { value: 'skip', label: t.choices.skip },
]
const conflictChoices: readonly Choice<ImportSettings['onConflict']>[] = [
  ...errorChoices,
  { value: 'update', label: t.choices.update },
]
const hashChoices: readonly Choice<ImportSettings['unknownHash']>[] = [
  ...errorChoices,
  { value: 'reset', label: t.choices.reset },
]

export function ImportCard(): JSX.Element {
  const accountId = useAccountId()
  const [file, setFile] = useState<File>()
  const [unknown, setUnknown] = useState<readonly string[]>([])
  const [leavesOut, setLeavesOut] = useState(false)
  const [onError, setOnError] = useState<ImportSettings['onError']>('stop')
  const [onConflict, setOnConflict] = useState<ImportSettings['onConflict']>('stop')
  const [unknownHash, setUnknownHash] = useState<ImportSettings['unknownHash']>('stop')
  const run = importRun.value
  const shown = run?.accountId === accountId ? run : undefined
  const isBusy = run !== undefined && ['running', 'paused'].includes(run.state.value.phase)
  const isTried =
    shown?.settings.isDryRun === true && shown.file === file && shown.state.value.phase === 'done'

  const choose = async (chosen: File | undefined) => {
    setFile(chosen)
    setLeavesOut(false)
    // Invalid CSV is reported when it is read.
    setUnknown(chosen === undefined ? [] : await findUnknownColumns(chosen).catch(() => []))
  }
  const start = (isDryRun: boolean) => {
    if (file === undefined) return
    const leftOut = new Set(leavesOut ? unknown : [])
    const settings = { isDryRun, onError, onConflict, unknownHash, leftOut }
    importRun.value = new ImportRun(accountId, file, settings)
    importRun.value.run()
  }
  const mayStart = file !== undefined && !isBusy && (unknown.length === 0 || leavesOut)
  return (
    <Card title={t.import}>
      <p class="muted">{t.importText}</p>
      <Field label={t.file} hint={t.fileHint}>
        {(control) => (
          <input
            type="file"
            accept=".ndjson,.jsonl,.json,.csv"
            {...control}
            onChange={(event) => choose(event.currentTarget.files?.[0])}
          />
        )}
      </Field>
      {unknown.length > 0 && (
        <>
          <Notice kind="warn">{t.unknownColumns(unknown)}</Notice>
          <CheckField label={t.leaveOut} checked={leavesOut} onChecked={setLeavesOut} />
        </>
      )}
      <div class="pair">
        <SelectField
          label={t.onError}
          value={onError}
          choices={errorChoices}
          onValue={setOnError}
        />
        <SelectField
          label={t.onConflict}
          value={onConflict}
          choices={conflictChoices}
          onValue={setOnConflict}
        />
        <SelectField
          label={t.unknownHash}
          value={unknownHash}
          choices={hashChoices}
          onValue={setUnknownHash}
        />
      </div>
      <div class="row">
        <Button
          kind={isTried ? 'plain' : 'primary'}
          disabled={!mayStart}
          onClick={() => start(true)}
        >
          {t.dryRun}
        </Button>
        <Button
          kind={isTried ? 'primary' : 'plain'}
          icon="upload"
          disabled={!mayStart}
          onClick={() => start(false)}
        >
          {t.importVerb}
        </Button>
      </div>
      {shown && <ImportProgress run={shown} />}
    </Card>
  )
}
