import type { Erasure } from '@clientele/client'
import type { JSX } from 'preact'
import { english } from '../../english.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Notice } from '../../ui/problem-notice.tsx'
import { saveJson } from '../../ui/save-file.ts'

const t = english.user.receipt

/** The removed and retained data of an erasure, and its receipt. Only the button closes it: no receipt is shown again. */
export function ErasureDialog({
  erasure,
  onClose,
}: {
  erasure: Erasure
  onClose: () => void
}): JSX.Element {
  return (
    <Dialog title={t.title} isWide>
      <div class="dialog-body">
        <Notice kind="good">{t.text}</Notice>
        <div class="pair">
          <section>
            <h3>{t.removed}</h3>
            <dl class="facts">
              {Object.entries(erasure.removed).map(([table, rows]) => (
                <Row key={table} term={table} text={t.rows(formatNumber(rows))} />
              ))}
            </dl>
          </section>
          <section>
            <h3>{t.retained}</h3>
            <dl class="facts">
              {erasure.retained.map(({ what, why }) => (
                <Row key={what + why} term={what} text={why} />
              ))}
            </dl>
          </section>
        </div>
      </div>
      <footer>
        <Button
          kind="primary"
          icon="download"
          onClick={() => saveJson(`erasure-${erasure.id}.json`, erasure)}
        >
          {t.save}
        </Button>
        <Button onClick={onClose}>{english.words.close}</Button>
      </footer>
    </Dialog>
  )
}

function Row({ term, text }: { term: string; text: string }): JSX.Element {
  return (
    <>
      <dt>
        <code>{term}</code>
      </dt>
      <dd>{text}</dd>
    </>
  )
}
