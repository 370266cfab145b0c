import type { JSX } from 'preact'

/** Renders a description of the OpenAPI document. Its only markup is backticks, for code. */
export function Markup({ text }: { text: string }): JSX.Element {
  return (
    <>
      {text
        .split('`')
        .map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}
    </>
  )
}
