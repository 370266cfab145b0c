import type { JSX } from 'preact'
import { request } from '../../api/request.ts'
import { english } from '../../english.ts'
import { useAccountId } from '../../session/use-access.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { toast } from '../../ui/toasts.tsx'
import type { SigningKey } from './signing-key.ts'

const t = english.signingKeys

export type AskedOfKey =
  | { verb: 'rotate' | 'rotateNow' }
  | { verb: 'retire' | 'remove'; signingKey: SigningKey }

/** Confirms each action, and explains its effect on verifiers. */
export function SigningKeyDialogs({
  asked,
  onChanged,
  onClose,
}: {
  asked: AskedOfKey
  onChanged: () => void
  onClose: () => void
}): JSX.Element {
  const accountId = useAccountId()
  const act = async () => {
    if ('signingKey' in asked) {
      const path = `signing-keys/${asked.signingKey.id}`
      await (asked.verb === 'retire'
        ? request(`${path}/retire`, { method: 'POST', accountId })
        : request(path, { method: 'DELETE', accountId }))
    } else {
      const body = { now: asked.verb === 'rotateNow' }
      await request('signing-keys/rotate', { method: 'POST', accountId, body })
    }
    toast(t.done[asked.verb])
    onChanged()
  }
  const { title, verb, text } = t.acts[asked.verb]
  return (
    <ConfirmDialog
      title={title}
      verb={verb}
      isDangerous={asked.verb !== 'rotate'}
      act={act}
      onClose={onClose}
    >
      {'signingKey' in asked && <code>{asked.signingKey.id}</code>}
      {text.map((paragraph) => (
        <p key={paragraph}>{paragraph}</p>
      ))}
    </ConfirmDialog>
  )
}
