import type { JSX } from 'preact'

/** Renders a text of the document, whose only markup is backticks. */
export function Markup({ text }: { text: string }): JSX.Element {
  return (
    <>
      {text
        .split('`')
        .map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}
    </>
  )
}
