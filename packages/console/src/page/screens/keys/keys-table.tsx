import type { JSX } from 'preact'
import { english } from '../../english.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Time } from '../../ui/time.tsx'
import { type ApiKey, isUsable, usualScopes } from './api-key.ts'
import { KeyState } from './key-state.tsx'

const t = english.keys

export function KeysTable({
  keys,
  isStale,
  onRotate,
  onRevoke,
}: {
  keys: readonly ApiKey[]
  isStale: boolean
  onRotate: (apiKey: ApiKey) => void
  onRevoke: (apiKey: ApiKey) => void
}): JSX.Element {
  const columns: Column<ApiKey>[] = [
    {
      key: 'name',
      label: t.name,
      cell: (apiKey) => (
        <div class="identity">
          <strong>{apiKey.name}</strong>
          <code class="muted">{apiKey.prefix}</code>
        </div>
      ),
    },
    { key: 'state', label: t.state, cell: (apiKey) => <KeyState apiKey={apiKey} /> },
    {
      key: 'scopes',
      label: t.scopes,
      isWideOnly: true,
      cell: (apiKey) => <Scopes apiKey={apiKey} />,
    },
    {
      key: 'used',
      label: t.used,
      isWideOnly: true,
      cell: (apiKey) => <Time at={apiKey.last_used_at} />,
    },
    {
      key: 'expires',
      label: t.expires,
      isWideOnly: true,
      cell: (apiKey) => <Time at={apiKey.expires_at} />,
    },
    {
      key: 'actions',
      label: <span class="visually-hidden">{t.actions}</span>,
      cell: (apiKey) =>
        isUsable(apiKey) && (
          <div class="row tight end">
            <Button kind="quiet" icon="refresh" isIconOnly onClick={() => onRotate(apiKey)}>
              {t.rotateTitle(apiKey.name)}
            </Button>
            <Button kind="quiet" icon="trash" isIconOnly onClick={() => onRevoke(apiKey)}>
              {t.revokeTitle(apiKey.name)}
            </Button>
          </div>
        ),
    },
  ]
  return (
    <DataTable
      caption={t.title}
      columns={columns}
      rows={keys}
      keyOf={(apiKey) => apiKey.id}
      isStale={isStale}
    />
  )
}

function Scopes({ apiKey: { scopes } }: { apiKey: ApiKey }): JSX.Element {
  const hasUsual = usualScopes.every((scope) => scopes.includes(scope))
  const named = hasUsual ? scopes.filter((scope) => !usualScopes.includes(scope)) : scopes
  return (
    <span class="row tight">
      {hasUsual && <Badge kind="accent">{t.usualScopes}</Badge>}
      {named.map((scope) => (
        <Badge key={scope}>{scope}</Badge>
      ))}
    </span>
  )
}
