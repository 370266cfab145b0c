import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { english } from '../english.ts'
import { Button } from './button.tsx'
import { toast } from './toasts.tsx'

const t = english.words
const shownMs = 2_500

export function CopyButton({
  text,
  label = t.copy,
  isIconOnly = false,
}: {
  text: string
  label?: string
  isIconOnly?: boolean
}): JSX.Element {
  const [isCopied, setCopied] = useState(false)
  return (
    <Button
      kind={isIconOnly ? 'quiet' : 'plain'}
      isIconOnly={isIconOnly}
      icon={isCopied ? 'check' : 'copy'}
      onClick={async () => {
        try {
          await navigator.clipboard.writeText(text)
          setCopied(true)
          setTimeout(() => setCopied(false), shownMs)
          toast(t.copied)
        } catch {
          toast(t.notCopied)
        }
      }}
    >
      {/* A dialog would hide a message at the foot of the page. */}
      {isCopied ? t.copied : label}
    </Button>
  )
}

/** A secret that the server shows once. */
export function SecretOnce({ secret, about }: { secret: string; about: string }): JSX.Element {
  return (
    <div class="secret">
      <p>{about}</p>
      <div class="row">
        <code class="grow">{secret}</code>
        <CopyButton text={secret} />
      </div>
      <p class="hint">{t.shownOnce}</p>
    </div>
  )
}
