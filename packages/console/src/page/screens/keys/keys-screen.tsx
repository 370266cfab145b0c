import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { request } from '../../api/request.ts'
import { useResource } from '../../api/use-resource.ts'
import { english } from '../../english.ts'
import { useAccountId } from '../../session/use-access.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Empty } from '../../ui/states.tsx'
import { toast } from '../../ui/toasts.tsx'
import { type ApiKey, type ApiKeyList, isUsable } from './api-key.ts'
import { CreateKeyDialog } from './create-key-dialog.tsx'
import { KeysTable } from './keys-table.tsx'
import { RotateKeyDialog } from './rotate-key-dialog.tsx'

const t = english.keys

type Asked =
  | { verb: 'create' }
  | { verb: 'rotate'; apiKey: ApiKey }
  | { verb: 'revoke'; apiKey: ApiKey }

export function KeysScreen(): JSX.Element {
  const accountId = useAccountId()
  const keys = useResource<ApiKeyList>('api-keys', { accountId })
  const [asked, setAsked] = useState<Asked>()
  const onClose = () => setAsked(undefined)
  const revoke = async (apiKey: ApiKey) => {
    await request(`api-keys/${apiKey.id}`, { method: 'DELETE', accountId })
    toast(t.revoked(apiKey.name))
    keys.reload()
  }
  const create = (
    <Button kind="primary" icon="plus" onClick={() => setAsked({ verb: 'create' })}>
      {t.create}
    </Button>
  )
  return (
    <>
      <PageHead title={t.title} actions={create}>
        {t.lead}
      </PageHead>
      <div class="stack">
        <Loaded resource={keys}>
          {({ api_keys: found }) =>
            found.length === 0 ? (
              <Empty icon="keys" title={t.none} actions={create}>
                {t.noneText}
              </Empty>
            ) : (
              <KeysTable
                keys={sortKeys(found)}
                isStale={keys.isLoading}
                onRotate={(apiKey) => setAsked({ verb: 'rotate', apiKey })}
                onRevoke={(apiKey) => setAsked({ verb: 'revoke', apiKey })}
              />
            )
          }
        </Loaded>
      </div>
      {asked?.verb === 'create' && <CreateKeyDialog onMade={keys.reload} onClose={onClose} />}
      {asked?.verb === 'rotate' && (
        <RotateKeyDialog apiKey={asked.apiKey} onMade={keys.reload} onClose={onClose} />
      )}
      {asked?.verb === 'revoke' && (
        <ConfirmDialog
          title={t.revokeTitle(asked.apiKey.name)}
          verb={t.revoke}
          typedName={asked.apiKey.name}
          act={() => revoke(asked.apiKey)}
          onClose={onClose}
        >
          <p>{t.revokeText}</p>
        </ConfirmDialog>
      )}
    </>
  )
}

/** Puts the usable keys first, and sorts each part by newest first. */
function sortKeys(keys: readonly ApiKey[]): ApiKey[] {
  return keys.toSorted(
    (one, other) =>
      Number(isUsable(other)) - Number(isUsable(one)) ||
      other.created_at.localeCompare(one.created_at),
  )
}
