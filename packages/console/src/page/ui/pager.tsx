import type { JSX } from 'preact'
import { useId, useState } from 'preact/hooks'
import { english } from '../english.ts'
import { Button } from './button.tsx'
import { formatNumber } from './format.ts'

const t = english.pager
/** The largest number of pages with single steps */
const fewPages = 3

/** The shown range of a list, and links to its other pages. */
export function Pager({
  page,
  limit,
  total,
  onPage,
}: {
  page: number
  limit: number
  total: number
  onPage: (page: number) => void
}): JSX.Element {
  const last = Math.max(1, Math.ceil(total / limit))
  const first = total === 0 ? 0 : Math.min(total, (page - 1) * limit + 1)
  return (
    <nav class="pager" aria-label={t.label}>
      <p class="muted">
        {t.range(
          formatNumber(first),
          formatNumber(Math.min(page * limit, total)),
          formatNumber(total),
        )}
      </p>
      <div class="row">
        {last > fewPages && <PageField key={page} page={page} last={last} onPage={onPage} />}
        <Button icon="left" disabled={page <= 1} onClick={() => onPage(page - 1)}>
          {t.previous}
        </Button>
        <Button icon="right" disabled={page >= last} onClick={() => onPage(page + 1)}>
          {t.next}
        </Button>
      </div>
    </nav>
  )
}

/** Opens a page by its number. */
function PageField({
  page,
  last,
  onPage,
}: {
  page: number
  last: number
  onPage: (page: number) => void
}): JSX.Element {
  const id = useId()
  const [typed, setTyped] = useState(String(page))
  return (
    <form
      class="page-field"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        const wanted = Math.trunc(Number(typed))
        onPage(wanted >= 1 ? Math.min(wanted, last) : 1)
      }}
    >
      <label for={id}>{t.page}</label>
      <input
        id={id}
        inputMode="numeric"
        autocomplete="off"
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
      <span class="muted">{t.of(formatNumber(last))}</span>
    </form>
  )
}
