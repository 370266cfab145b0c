import type { Webhook, WebhookSecret } from '@clientele/client'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { request } from '../../api/request.ts'
import { english } from '../../english.ts'
import { navigate, toHref } from '../../routing/route.ts'
import { useAccountId } from '../../session/use-access.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { SecretDialog } from '../../ui/secret-dialog.tsx'
import { toast } from '../../ui/toasts.tsx'
import { ReplayDialog } from './replay-dialog.tsx'

const t = english.webhooks

/** Rare actions: replay, a new secret, deletion. */
export function WebhookActions({ webhook }: { webhook: Webhook }): JSX.Element {
  const accountId = useAccountId()
  const [asked, setAsked] = useState<'replay' | 'rotate' | 'delete'>()
  const [secret, setSecret] = useState<string>()
  const path = `api/client/webhook/${webhook.id}`
  const close = () => setAsked(undefined)
  return (
    <Card title={t.more}>
      <Action text={t.replayText}>
        <Button icon="refresh" disabled={!webhook.is_active} onClick={() => setAsked('replay')}>
          {t.replay}
        </Button>
      </Action>
      <Action text={t.rotateText}>
        <Button icon="keys" onClick={() => setAsked('rotate')}>
          {t.rotate}
        </Button>
      </Action>
      <Action text={t.deleteText}>
        <Button icon="trash" onClick={() => setAsked('delete')}>
          {english.words.delete}
        </Button>
      </Action>
      {asked === 'replay' && <ReplayDialog webhook={webhook} onClose={close} />}
      {asked === 'rotate' && (
        <ConfirmDialog
          title={t.rotate}
          verb={t.rotate}
          isDangerous={false}
          act={async () => {
            const answer = await request<WebhookSecret>(`${path}/secret/rotate`, {
              method: 'POST',
              accountId,
            })
            setSecret(answer.data.secret)
          }}
          onClose={close}
        >
          <p>{t.rotateAsk}</p>
        </ConfirmDialog>
      )}
      {asked === 'delete' && (
        <ConfirmDialog
          title={t.deleteTitle}
          verb={english.words.delete}
          typedName={webhook.url}
          act={async () => {
            await request(path, { method: 'DELETE', accountId })
            toast(t.deleted)
            navigate(toHref(['a', accountId, 'webhooks']))
          }}
          onClose={close}
        >
          <p>{t.deleteAsk}</p>
        </ConfirmDialog>
      )}
      {secret !== undefined && (
        <SecretDialog
          title={t.rotated}
          secret={secret}
          about={t.rotatedAbout}
          onClose={() => setSecret(undefined)}
        />
      )}
    </Card>
  )
}

function Action({ text, children }: { text: string; children: JSX.Element }): JSX.Element {
  return (
    <div class="deed">
      <p class="muted">{text}</p>
      {children}
    </div>
  )
}
