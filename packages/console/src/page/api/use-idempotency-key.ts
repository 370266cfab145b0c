import { useRef } from 'preact/hooks'

/** Makes the idempotency key of a write. The same input gets the same key, so that a retry does not write again. */
export function useIdempotencyKey(): (input: unknown) => string {
  const last = useRef({ input: '', key: '' })
  return (input) => {
    const text = JSON.stringify(input)
    if (last.current.input !== text) last.current = { input: text, key: crypto.randomUUID() }
    return last.current.key
  }
}
