let mayLeave = false

/** Makes the browser ask before it leaves the page, until the returned function is called. */
export function askBeforeLeaving(): () => void {
  const ask = (event: BeforeUnloadEvent): void => {
    if (!mayLeave) event.preventDefault()
  }
  addEventListener('beforeunload', ask)
  return () => removeEventListener('beforeunload', ask)
}

/** From here on the browser leaves without a question: the page belongs to a different person. */
export function letLeave(): void {
  mayLeave = true
}
