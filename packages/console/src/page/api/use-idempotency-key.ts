import { useRef } from 'preact/hooks'

/** Names a write, so that trying the same input again does it once: another input is another write. */
export function useIdempotencyKey(): (input: unknown) => string {
  const last = useRef({ input: '', key: '' })
  return (input) => {
    const text = JSON.stringify(input)
    if (last.current.input !== text) last.current = { input: text, key: crypto.randomUUID() }
    return last.current.key
  }
}
