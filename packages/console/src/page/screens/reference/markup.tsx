import type { JSX } from 'preact'

/** A text of the document: backticks are all the markup that it has. */
export function Markup({ text }: { text: string }): JSX.Element {
  return (
    <>
      {text
        .split('`')
        .map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}
    </>
  )
}
