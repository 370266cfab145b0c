import type { ClientUser, Erasure } from '@clientele/client'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { request } from '../../api/request.ts'
import { useAction } from '../../api/use-action.ts'
import { useIdempotencyKey } from '../../api/use-idempotency-key.ts'
import { english } from '../../english.ts'
import { navigate, toHref } from '../../routing/route.ts'
import { useAccess, useAccountId } from '../../session/use-access.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { ProblemNotice } from '../../ui/problem-notice.tsx'
import { saveJson } from '../../ui/save-file.ts'
import { toast } from '../../ui/toasts.tsx'
import { ErasureDialog } from './erasure-dialog.tsx'
import { readPersonalData } from './read-personal-data.ts'

const t = english.user.personal

/** The rights of a person: export and erasure. */
export function PersonalDataCard({
  user,
  onChanged,
}: {
  user: ClientUser
  onChanged: () => void
}): JSX.Element {
  const accountId = useAccountId()
  const mayWrite = useAccess().can('users:write')
  const [asked, setAsked] = useState<'delete' | 'erase'>()
  const [erasure, setErasure] = useState<Erasure>()
  const keyOf = useIdempotencyKey()
  const path = `api/client/user/${user.id}`
  const leave = () => navigate(toHref(['a', accountId, 'users']))

  const save = useAction(async () => {
    saveJson(`user-${user.id}.json`, await readPersonalData(accountId, user.id))
    onChanged()
  })
  const remove = async () => {
    await request(path, { method: 'DELETE', accountId })
    toast(t.deleted(user.name))
    leave()
  }
  const erase = async () => {
    const headers = { 'idempotency-key': keyOf(path) }
    const { data } = await request<Erasure>(`${path}/erase`, { method: 'POST', accountId, headers })
    setErasure(data)
  }
  return (
    <Card title={t.title}>
      <p class="muted">{t.text}</p>
      <ProblemNotice problem={save.problem} onRetry={save.run} />
      <div class="row">
        <Button icon="download" isBusy={save.isRunning} onClick={save.run}>
          {t.export}
        </Button>
        {mayWrite && (
          <>
            <Button icon="trash" onClick={() => setAsked('delete')}>
              {t.delete}
            </Button>
            <Button icon="trash" onClick={() => setAsked('erase')}>
              {t.erase}
            </Button>
          </>
        )}
      </div>
      {asked !== undefined && erasure === undefined && (
        <ConfirmDialog
          title={asked === 'delete' ? t.deleteTitle(user.name) : t.eraseTitle(user.name)}
          verb={t[asked]}
          typedName={user.email}
          act={asked === 'delete' ? remove : erase}
          onClose={() => setAsked(undefined)}
        >
          <p>{asked === 'delete' ? t.deleteText : t.eraseText}</p>
        </ConfirmDialog>
      )}
      {erasure && (
        <ErasureDialog
          erasure={erasure}
          onClose={() => {
            setErasure(undefined)
            leave()
          }}
        />
      )}
    </Card>
  )
}
