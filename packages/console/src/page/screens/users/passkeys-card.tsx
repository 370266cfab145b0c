import type { Passkey, PasskeyList } from '@clientele/client'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { request } from '../../api/request.ts'
import { useResource } from '../../api/use-resource.ts'
import { english } from '../../english.ts'
import { useAccess, useAccountId } from '../../session/use-access.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { NameDialog } from '../../ui/name-dialog.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toasts.tsx'
import { type UserCardProps, useReloadAfter } from './use-reload-after.ts'

const t = english.user.passkeys

export function PasskeysCard({ userId, changes, onChanged }: UserCardProps): JSX.Element {
  const accountId = useAccountId()
  const path = `api/client/user/${userId}/passkey`
  const passkeys = useResource<PasskeyList>(path, { accountId })
  useReloadAfter(changes, passkeys)
  return (
    <Card title={t.title}>
      <Loaded resource={passkeys}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="muted">{t.none}</p>
          ) : (
            <ul class="items">
              {data.map((passkey) => (
                <PasskeyItem
                  key={passkey.id}
                  passkey={passkey}
                  path={`${path}/${passkey.id}`}
                  onChanged={onChanged}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  )
}

function PasskeyItem({
  passkey,
  path,
  onChanged,
}: {
  passkey: Passkey
  path: string
  onChanged: () => void
}): JSX.Element {
  const accountId = useAccountId()
  const mayWrite = useAccess().can('users:write')
  const [asked, setAsked] = useState<'rename' | 'remove'>()
  const onClose = () => setAsked(undefined)
  const rename = async (name: string) => {
    await request(path, { method: 'PATCH', accountId, body: { name } })
    toast(english.words.saved)
    onChanged()
  }
  const remove = async () => {
    await request(path, { method: 'DELETE', accountId })
    toast(t.removed(passkey.name))
    onChanged()
  }
  return (
    <li>
      <Icon name="passkey" />
      <div class="identity">
        <strong class="row tight">
          {passkey.name} <Badge>{t.uses[passkey.use]}</Badge>
          {passkey.backed_up && <Badge>{t.synced}</Badge>}
        </strong>
        <span class="muted">
          {t.used} <Time at={passkey.last_used_at} />, {t.enrolled} <Time at={passkey.created_at} />
        </span>
      </div>
      {mayWrite && (
        <div class="row tight">
          <Button kind="quiet" icon="edit" isIconOnly onClick={() => setAsked('rename')}>
            {t.rename(passkey.name)}
          </Button>
          <Button kind="quiet" icon="trash" isIconOnly onClick={() => setAsked('remove')}>
            {english.words.remove(passkey.name)}
          </Button>
        </div>
      )}
      {asked === 'rename' && (
        <NameDialog
          title={t.rename(passkey.name)}
          label={english.users.name}
          name={passkey.name}
          act={rename}
          onClose={onClose}
        />
      )}
      {asked === 'remove' && (
        <ConfirmDialog title={t.remove} verb={t.remove} act={remove} onClose={onClose}>
          <p>{t.removeText(passkey.name)}</p>
        </ConfirmDialog>
      )}
    </li>
  )
}
