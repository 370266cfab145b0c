import type { ComponentChildren, JSX } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { english } from '../english.ts'
import { askBeforeLeaving } from '../routing/leaving.ts'
import { holdPlace } from '../routing/route.ts'
import { Button } from './button.tsx'

/** A dialog above the page. It takes the keyboard focus, and returns it when it closes. */
export function Dialog({
  title,
  onClose,
  children,
  isWide = false,
  isBusy = false,
  mayLeave = false,
}: {
  title: string
  /** Absent: the dialog cannot be closed without its action */
  onClose?: (() => void) | undefined
  children: ComponentChildren
  isWide?: boolean
  /** Its action is running: it stays open for the result, which may be a secret that is shown once */
  isBusy?: boolean
  /** It shows nothing that would be lost with the page */
  mayLeave?: boolean
}): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  const staysOpen = onClose === undefined || isBusy
  // The browser's Back would close it, too. At once: a dialog that replaces another takes its hold over.
  useLayoutEffect(() => (staysOpen ? holdPlace() : undefined), [staysOpen])
  const asks = staysOpen && !mayLeave
  useLayoutEffect(() => (asks ? askBeforeLeaving() : undefined), [asks])
  // Focus at once: the next input is meant for it.
  useLayoutEffect(() => {
    const { activeElement } = document
    const { current } = dialog
    current?.showModal()
    return () => {
      // Nothing outside can take the keyboard while it is open.
      current?.close()
      if (activeElement instanceof HTMLElement) activeElement.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      class={isWide ? 'dialog wide' : 'dialog'}
      aria-labelledby={id}
      {...(staysOpen && { closedby: 'none' })}
      onCancel={(event) => {
        event.preventDefault()
        if (!staysOpen) onClose()
      }}
    >
      <header>
        <h2 id={id}>{title}</h2>
        {onClose && (
          <Button kind="quiet" icon="close" isIconOnly disabled={isBusy} onClick={onClose}>
            {english.words.close}
          </Button>
        )}
      </header>
      {children}
    </dialog>
  )
}
