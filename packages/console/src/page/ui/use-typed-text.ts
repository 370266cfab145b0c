import { useEffect, useRef, useState } from 'preact/hooks'

const pauseMs = 200

/**
 * A text that is being typed, and what it is told to once the typing pauses. Where the text changes from elsewhere (a step
 * back in the browser), what is typed follows.
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
