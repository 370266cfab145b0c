import { useEffect, useRef, useState } from 'preact/hooks'

const pauseMs = 200

/**
 * The text of a field while the user types. `tell` gets it when the typing pauses. If the text changes from outside (a step
 * back in the browser), the field shows the new text.
 */
export function useTypedText(
  text: string,
  tell: (text: string) => void,
): [typed: string, setTyped: (typed: string) => void] {
  const [typed, setTyped] = useState(text)
  const told = useRef(text)
  const teller = useRef(tell)
  teller.current = tell
  useEffect(() => {
    if (text === told.current) return
    told.current = text
    setTyped(text)
  }, [text])
  useEffect(() => {
    if (typed === told.current) return
    const timer = setTimeout(() => {
      told.current = typed
      teller.current(typed)
    }, pauseMs)
    return () => clearTimeout(timer)
  }, [typed])
  return [typed, setTyped]
}
