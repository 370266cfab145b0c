import type { JSX } from 'preact'
import { english } from '../../english.ts'
import { useAccess } from '../../session/use-access.ts'
import { PageHead } from '../../ui/page-head.tsx'
import { ExportCard } from './export-card.tsx'
import { ImportCard } from './import-card.tsx'

const t = english.transfer

export function TransferScreen(): JSX.Element {
  const { can } = useAccess()
  return (
    <>
      <PageHead title={t.title}>{t.lead}</PageHead>
      <div class="stack">
        {can('users:write') && <ImportCard />}
        {can('users:read') && <ExportCard />}
      </div>
    </>
  )
}
