import type { JSX } from 'preact'
import { english } from '../../english.ts'
import { navigate, route, toHref } from '../../routing/route.ts'
import { useAccountId } from '../../session/use-access.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { Empty } from '../../ui/states.tsx'
import { MethodBadge } from './method-badge.tsx'
import { listOperations, type OpenApi, type Operation } from './open-api.ts'
import { useDocument } from './use-document.ts'

const t = english.reference

/** All operations of the API, from the OpenAPI document of the service. */
export function ReferenceScreen(): JSX.Element {
  const accountId = useAccountId()
  const document = useDocument()
  const asked = route.value.query.get('q') ?? ''
  const ask = (q: string) =>
    navigate(toHref(['a', accountId, 'reference'], { q }), { replace: true })
  return (
    <>
      <PageHead title={t.title}>{t.lead}</PageHead>
      <search class="toolbar">
        <SearchField label={t.search} hint={t.searchHint} text={asked} onText={ask} />
      </search>
      <div class="stack">
        <Loaded resource={document}>
          {(data) => <Operations document={data} asked={asked} onClear={() => ask('')} />}
        </Loaded>
      </div>
    </>
  )
}

function Operations({
  document,
  asked,
  onClear,
}: {
  document: OpenApi
  asked: string
  onClear: () => void
}): JSX.Element {
  const found = listOperations(document).filter((operation) => matches(operation, asked))
  if (found.length === 0) {
    return (
      <Empty
        icon="search"
        title={t.noneFound}
        actions={<Button onClick={onClear}>{t.clear}</Button>}
      >
        {t.noneFoundText}
      </Empty>
    )
  }
  return (
    <>
      {document.tags.map(({ name, description }) => {
        const operations = found.filter(({ tags }) => tags.includes(name))
        return (
          operations.length > 0 && (
            <Card key={name} title={name}>
              <p class="muted small">{description}</p>
              <ul class="operations">
                {operations.map((operation) => (
                  <OperationLink key={operation.operationId} operation={operation} />
                ))}
              </ul>
            </Card>
          )
        )
      })}
    </>
  )
}

function OperationLink({ operation }: { operation: Operation }): JSX.Element {
  const accountId = useAccountId()
  const { operationId, method, path, summary } = operation
  return (
    <li>
      <a href={toHref(['a', accountId, 'reference', operationId])}>
        <MethodBadge method={method} />
        <code>{path}</code>
        <span class="muted">{summary}</span>
      </a>
    </li>
  )
}

/** Whether the operation contains every typed word. */
function matches({ method, path, summary, operationId, tags }: Operation, asked: string): boolean {
  const text = [method, path, summary, operationId, ...tags].join(' ').toLowerCase()
  return asked
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}
