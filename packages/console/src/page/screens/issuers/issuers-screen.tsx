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
import type { Issuer, IssuerList } from './issuer.ts'
import { IssuerDialog } from './issuer-dialog.tsx'
import { IssuersTable } from './issuers-table.tsx'

const t = english.issuers

type Asked = { verb: 'create' } | { verb: 'edit' | 'delete'; issuer: Issuer }

export function IssuersScreen(): JSX.Element {
  const accountId = useAccountId()
  const issuers = useResource<IssuerList>('issuers', { accountId })
  const [asked, setAsked] = useState<Asked>()
  const onClose = () => setAsked(undefined)
  const remove = async (issuer: Issuer) => {
    await request(`issuers/${issuer.id}`, { method: 'DELETE', accountId })
    toast(t.deleted)
    issuers.reload()
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
        <Loaded resource={issuers}>
          {({ issuers: found }) =>
            found.length === 0 ? (
              <Empty icon="issuers" title={t.none} actions={create}>
                {t.noneText}
              </Empty>
            ) : (
              <IssuersTable
                issuers={found}
                isStale={issuers.isLoading}
                onEdit={(issuer) => setAsked({ verb: 'edit', issuer })}
                onDelete={(issuer) => setAsked({ verb: 'delete', issuer })}
              />
            )
          }
        </Loaded>
      </div>
      {asked?.verb === 'create' && <IssuerDialog onSaved={issuers.reload} onClose={onClose} />}
      {asked?.verb === 'edit' && (
        <IssuerDialog issuer={asked.issuer} onSaved={issuers.reload} onClose={onClose} />
      )}
      {asked?.verb === 'delete' && (
        <ConfirmDialog
          title={t.deleteTitle}
          verb={english.words.delete}
          typedName={asked.issuer.issuer}
          act={() => remove(asked.issuer)}
          onClose={onClose}
        >
          <p>{t.deleteText}</p>
        </ConfirmDialog>
      )}
    </>
  )
}
