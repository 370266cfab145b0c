import type { JSX } from 'preact'
import { english } from '../../english.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Time } from '../../ui/time.tsx'
import type { Issuer } from './issuer.ts'

const t = english.issuers

export function IssuersTable({
  issuers,
  isStale,
  onEdit,
  onDelete,
}: {
  issuers: readonly Issuer[]
  isStale: boolean
  onEdit: (issuer: Issuer) => void
  onDelete: (issuer: Issuer) => void
}): JSX.Element {
  const columns: Column<Issuer>[] = [
    {
      key: 'issuer',
      label: t.issuer,
      cell: (issuer) => (
        <div class="identity">
          <strong>{issuer.issuer}</strong>
          <span class="muted">{t.for(issuer.audience)}</span>
          <span class="narrow-only">
            <Allowed issuer={issuer} />
          </span>
        </div>
      ),
    },
    {
      key: 'keys',
      label: t.keys,
      isWideOnly: true,
      cell: (issuer) => (
        <div class="identity">
          <span>{t.sources[issuer.key_source]}</span>
          <span class="muted">{issuer.algorithms.join(', ')}</span>
        </div>
      ),
    },
    {
      key: 'user',
      label: t.user,
      isWideOnly: true,
      cell: (issuer) => (
        <div class="identity">
          <code>{issuer.user_claim}</code>
          <span class="muted">{t.lookups[issuer.user_lookup]}</span>
        </div>
      ),
    },
    {
      key: 'allows',
      label: t.allows,
      isWideOnly: true,
      cell: (issuer) => <Allowed issuer={issuer} />,
    },
    {
      key: 'updated',
      label: t.updated,
      isWideOnly: true,
      cell: (issuer) => <Time at={issuer.updated_at} />,
    },
    {
      key: 'actions',
      label: <span class="visually-hidden">{t.actions}</span>,
      cell: (issuer) => (
        <div class="row tight end">
          <Button kind="quiet" icon="edit" isIconOnly onClick={() => onEdit(issuer)}>
            {t.edit(issuer.issuer)}
          </Button>
          <Button kind="quiet" icon="trash" isIconOnly onClick={() => onDelete(issuer)}>
            {t.delete(issuer.issuer)}
          </Button>
        </div>
      ),
    },
  ]
  return (
    <DataTable
      caption={t.title}
      columns={columns}
      rows={issuers}
      keyOf={(issuer) => issuer.id}
      isStale={isStale}
    />
  )
}

function Allowed({ issuer }: { issuer: Issuer }): JSX.Element {
  return (
    <span class="row tight">
      <Badge>{t.allowsTokens}</Badge>
      {issuer.sign_in && <Badge kind="accent">{t.allowsSignIn}</Badge>}
      {issuer.trust_unverified_email && <Badge kind="warn">{t.allowsUnverified}</Badge>}
    </span>
  )
}
