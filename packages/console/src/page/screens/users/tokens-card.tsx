import type { UserToken, UserTokenList } from '@clientele/client'
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
import { Loaded } from '../../ui/loaded.tsx'
import { NameDialog } from '../../ui/name-dialog.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toasts.tsx'
import { CreateTokenDialog } from './create-token-dialog.tsx'
import { type UserCardProps, useReloadAfter } from './use-reload-after.ts'

const t = english.user.tokens

/** A user's own tokens, for programs that act for them. */
export function TokensCard({ userId, changes, onChanged }: UserCardProps): JSX.Element {
  const accountId = useAccountId()
  const mayWrite = useAccess().can('users:write')
  const path = `api/client/user/${userId}/token`
  const tokens = useResource<UserTokenList>(path, { accountId })
  useReloadAfter(changes, tokens)
  const [asked, setAsked] = useState<'create' | 'revokeAll'>()
  const onClose = () => setAsked(undefined)
  const revokeAll = async () => {
    await request(path, { method: 'DELETE', accountId })
    toast(t.revokedAll)
    onChanged()
  }
  const count = tokens.data?.data.length ?? 0
  return (
    <Card
      title={t.title}
      actions={
        mayWrite && (
          <>
            {count > 1 && <Button onClick={() => setAsked('revokeAll')}>{t.revokeAll}</Button>}
            <Button onClick={() => setAsked('create')}>{t.create}</Button>
          </>
        )
      }
    >
      <Loaded resource={tokens}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="muted">{t.none}</p>
          ) : (
            <ul class="items">
              {data.map((token) => (
                <TokenItem
                  key={token.id}
                  token={token}
                  path={`${path}/${token.id}`}
                  onChanged={onChanged}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
      {asked === 'create' && <CreateTokenDialog path={path} onMade={onChanged} onClose={onClose} />}
      {asked === 'revokeAll' && (
        <ConfirmDialog title={t.revokeAll} verb={t.revokeAll} act={revokeAll} onClose={onClose}>
          <p>{t.revokeAllText}</p>
        </ConfirmDialog>
      )}
    </Card>
  )
}

function TokenItem({
  token: { name, scopes, prefix, expires_at, last_used_at },
  path,
  onChanged,
}: {
  token: UserToken
  path: string
  onChanged: () => void
}): JSX.Element {
  const accountId = useAccountId()
  const mayWrite = useAccess().can('users:write')
  const [asked, setAsked] = useState<'rename' | 'revoke'>()
  const onClose = () => setAsked(undefined)
  const rename = async (typed: string) => {
    await request(path, { method: 'PATCH', accountId, body: { name: typed } })
    toast(english.words.saved)
    onChanged()
  }
  const revoke = async () => {
    await request(path, { method: 'DELETE', accountId })
    toast(english.keys.revoked(name))
    onChanged()
  }
  return (
    <li>
      <div class="identity">
        <strong class="row tight">
          {name}{' '}
          {scopes.map((scope) => (
            <Badge key={scope}>{scope}</Badge>
          ))}
        </strong>
        <span class="muted">
          {prefix}, {t.used} <Time at={last_used_at} />, {t.expires} <Time at={expires_at} />
        </span>
      </div>
      {mayWrite && (
        <div class="row tight">
          <Button kind="quiet" icon="edit" isIconOnly onClick={() => setAsked('rename')}>
            {english.user.passkeys.rename(name)}
          </Button>
          <Button kind="quiet" icon="trash" isIconOnly onClick={() => setAsked('revoke')}>
            {english.keys.revokeTitle(name)}
          </Button>
        </div>
      )}
      {asked === 'rename' && (
        <NameDialog
          title={english.user.passkeys.rename(name)}
          label={english.keys.name}
          name={name}
          act={rename}
          onClose={onClose}
        />
      )}
      {asked === 'revoke' && (
        <ConfirmDialog
          title={english.keys.revokeTitle(name)}
          verb={english.keys.revoke}
          act={revoke}
          onClose={onClose}
        >
          <p>{t.revokeText}</p>
        </ConfirmDialog>
      )}
    </li>
  )
}
