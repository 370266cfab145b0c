import type { JSX } from 'preact'
import { english } from '../../english.ts'
import { Badge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { Markup } from './markup.tsx'
import { exampleOf, type OpenApi, type Operation } from './open-api.ts'
import { SchemaView } from './schema-view.tsx'

const t = english.reference

/** The possible responses of an operation, by status. */
export function AnswersCard({
  document,
  operation: { responses },
}: {
  document: OpenApi
  operation: Operation
}): JSX.Element {
  return (
    <Card title={t.answers}>
      <ul class="answers">
        {Object.entries(responses).map(([status, { description, content = {} }]) => {
          const [body] = Object.values(content)
          const isSuccess = Number(status) < 400
          const head = (
            <>
              <Badge kind={isSuccess ? 'good' : 'plain'}>{status}</Badge>{' '}
              <Markup text={description} />
            </>
          )
          return (
            <li key={status} class="answer-item">
              {body?.schema === undefined ? (
                <p class="answer-head">{head}</p>
              ) : (
                <details open={isSuccess}>
                  <summary class="answer-head">{head}</summary>
                  <div class="answer">
                    {isSuccess && <SchemaView document={document} schema={body.schema} />}
                    <Example value={exampleOf(document, body)} />
                  </div>
                </details>
              )}
            </li>
          )
        })}
      </ul>
    </Card>
  )
}

function Example({ value }: { value: unknown }): JSX.Element | null {
  if (value === undefined) return null
  return (
    <div class="code-frame">
      <pre>{JSON.stringify(value, null, 2)}</pre>
    </div>
  )
}
