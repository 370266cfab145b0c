import type { JSX } from 'preact'
import { english } from '../../english.ts'
import { toHref } from '../../routing/route.ts'
import { useAccountId } from '../../session/use-access.ts'
import { BackLink } from '../../ui/back-link.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Empty } from '../../ui/states.tsx'
import { AnswersCard } from './answers-card.tsx'
import { nameType } from './describe-schema.ts'
import { Markup } from './markup.tsx'
import { MethodBadge } from './method-badge.tsx'
import {
  listOperations,
  type OpenApi,
  type Operation,
  type Parameter,
  type Schema,
} from './open-api.ts'
import { SchemaText, SchemaView } from './schema-view.tsx'
import { TryButton, TryCard } from './try-card.tsx'
import { useDocument } from './use-document.ts'

const t = english.reference

/** One operation: its inputs, its responses, and a form to try it. */
export function OperationScreen({ id }: { id: string }): JSX.Element {
  const accountId = useAccountId()
  const document = useDocument()
  const found = document.data && listOperations(document.data).find((one) => one.operationId === id)
  return (
    <>
      <BackLink href={toHref(['a', accountId, 'reference'])} label={t.title} />
      <PageHead title={found?.summary ?? t.title} actions={found && <TryButton />}>
        {found && (
          <span class="row">
            <MethodBadge method={found.method} /> <code>{found.path}</code>
          </span>
        )}
      </PageHead>
      <Loaded resource={document}>
        {(data) =>
          found === undefined ? (
            <Empty icon="reference" title={t.noneFound} />
          ) : (
            <div class="operation">
              <Description document={data} operation={found} />
              <TryCard document={data} operation={found} />
            </div>
          )
        }
      </Loaded>
    </>
  )
}

function Description({
  document,
  operation,
}: {
  document: OpenApi
  operation: Operation
}): JSX.Element {
  const { parameters = [], requestBody, description, security } = operation
  const isPublic = security?.length === 0
  const [body] = Object.values(requestBody?.content ?? {})
  return (
    <div class="stack">
      {(description || isPublic) && (
        <p>
          {isPublic ? <Badge kind="good">{t.open}</Badge> : <Markup text={description ?? ''} />}
        </p>
      )}
      {parameters.length > 0 && (
        <Card title={t.parameters}>
          <ul class="schema">
            {parameters.map((parameter) => (
              <li key={`${parameter.in} ${parameter.name}`}>
                <p class="schema-head">
                  <code class="schema-name">{parameter.name}</code>
                  <span class="muted small">
                    {t.places[parameter.in]}, {nameType(parameter.schema)}
                  </span>
                  {parameter.required && <Badge kind="accent">{t.schema.required}</Badge>}
                </p>
                <SchemaText schema={withDescription(parameter)} />
              </li>
            ))}
          </ul>
        </Card>
      )}
      {body?.schema && (
        <Card title={t.body}>
          <p class="muted small">{Object.keys(requestBody?.content ?? {}).join(', ')}</p>
          <SchemaView document={document} schema={body.schema} />
        </Card>
      )}
      <AnswersCard document={document} operation={operation} />
    </div>
  )
}

function withDescription({ schema, description }: Parameter): Schema {
  return description === undefined ? schema : { ...schema, description }
}
