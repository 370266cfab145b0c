import type { JSX } from 'preact'
import { english } from '../english.ts'
import { Button } from './button.tsx'
import { formatNumber } from './format.ts'

/** Which part of a list is shown, and the ways to the others. */
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
  const first = total === 0 ? 0 : (page - 1) * limit + 1
  const t = english.pager
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
