import type { JSX } from 'preact'
import { english } from '../../english.ts'
import { Button } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { formatNumber } from '../../ui/format.ts'
import { saveFile } from '../../ui/save-file.ts'
import type { ImportState, LineError } from './import-state.ts'

const t = english.transfer
const shownErrors = 20

const columns: readonly Column<LineError>[] = [
  { key: 'line', label: t.line, isNumber: true, cell: ({ line }) => formatNumber(line) },
  { key: 'message', label: t.message, cell: ({ message }) => message },
  { key: 'code', label: t.code, isWideOnly: true, cell: ({ code }) => <code>{code}</code> },
]

/** The errors, by line. */
export function ImportErrors({
  state: { errors, errorCount },
  fileName,
}: {
  state: ImportState
  fileName: string
}): JSX.Element | null {
  if (errorCount === 0) return null
  const save = () =>
    saveFile(`${fileName}.errors.ndjson`, 'application/x-ndjson', [
      errors.map((error) => `${JSON.stringify(error)}\n`).join(''),
    ])
  return (
    <section class="stack">
      <div class="row">
        <h3 class="grow">{t.errors(formatNumber(errorCount))}</h3>
        <Button icon="download" onClick={save}>
          {t.saveErrors}
        </Button>
      </div>
      <DataTable
        caption={t.errors(formatNumber(errorCount))}
        columns={columns}
        rows={errors.slice(0, shownErrors)}
        keyOf={({ line, code }) => `${line} ${code}`}
      />
      {errorCount > shownErrors && (
        <p class="muted small">{t.moreErrors(formatNumber(errorCount - shownErrors))}</p>
      )}
      {errorCount > errors.length && (
        <p class="muted small">{t.savedErrors(formatNumber(errors.length))}</p>
      )}
    </section>
  )
}
