import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { useAction } from '../../api/use-action.ts'
import { english } from '../../english.ts'
import { useAccountId } from '../../session/use-access.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { SelectField, TextAreaField } from '../../ui/field.tsx'
import { ProblemNotice } from '../../ui/problem-notice.tsx'
import { exampleOf, type OpenApi, type Operation } from './open-api.ts'
import { ParameterField } from './parameter-field.tsx'
import { toCurl } from './to-curl.ts'
import { TriedAnswerView } from './tried-answer-view.tsx'
import { type TriedAnswer, type TriedRequest, tryRequest } from './try-request.ts'

const t = english.reference

const tryPlace = 'try'
const formType = 'application/x-www-form-urlencoded'
const mount = new URL('../..', document.baseURI).href.replace(/\/$/, '')

/** A form for a request, which can be copied as a command or sent. */
export function TryCard({
  document: api,
  operation,
}: {
  document: OpenApi
  operation: Operation
}): JSX.Element {
  const accountId = useAccountId()
  const { parameters = [], requestBody, method, security } = operation
  const contentTypes = Object.keys(requestBody?.content ?? {})
  const [values, setValues] = useState<Readonly<Record<string, string>>>({
    'path account_id': accountId,
  })
  const [contentType, setContentType] = useState(contentTypes[0])
  const [body, setBody] = useState(() => writeExample(api, operation, contentType))
  const [answer, setAnswer] = useState<TriedAnswer>()
  const [isAsking, setAsking] = useState(false)
  const tried = assemble(operation, values, contentType, body)
  const curl = toCurl(tried, mount, security?.length !== 0)
  const act = async () => setAnswer(await tryRequest(tried, accountId))
  const action = useAction(act)
  const isFinal = method === 'DELETE' || operation.operationId === 'eraseUser'
  return (
    <div class="try" id={tryPlace}>
      <Card title={t.try}>
        <form
          class="stack"
          onSubmit={(event) => {
            event.preventDefault()
            if (isFinal) setAsking(true)
            else action.run()
          }}
        >
          {parameters.map((parameter) => {
            const key = `${parameter.in} ${parameter.name}`
            return (
              <ParameterField
                key={key}
                parameter={parameter}
                value={values[key] ?? ''}
                onValue={(value) => setValues({ ...values, [key]: value })}
              />
            )
          })}
          {contentTypes.length > 1 && contentType !== undefined && (
            <SelectField
              label={t.contentType}
              value={contentType}
              choices={contentTypes.map((value) => ({ value, label: value }))}
              onValue={setContentType}
            />
          )}
          {contentType !== undefined && (
            <TextAreaField label={t.body} value={body} onValue={setBody} rows={rowsOf(body)} />
          )}
          <div class="code-frame">
            <CopyButton text={curl} label={t.copyCurl} />
            <pre>{curl}</pre>
          </div>
          <ProblemNotice problem={action.problem} />
          <div class="row">
            <Button type="submit" kind={isFinal ? 'danger' : 'primary'} isBusy={action.isRunning}>
              {t.send}
            </Button>
            <span class="muted small">{t.sendHint}</span>
          </div>
        </form>
        {answer && <TriedAnswerView answer={answer} />}
      </Card>
      {isAsking && (
        <ConfirmDialog title={t.askTitle} verb={t.send} act={act} onClose={() => setAsking(false)}>
          <p>{t.askText}</p>
          <p>
            <code>
              {method} {tried.target}
            </code>
          </p>
        </ConfirmDialog>
      )}
    </div>
  )
}

/** A link to the form, which may stand below a long description. */
export function TryButton(): JSX.Element {
  return (
    <span class="jump">
      <Button
        icon="down"
        onClick={() => {
          const place = document.getElementById(tryPlace)
          place?.scrollIntoView()
          place
            ?.querySelector<HTMLElement>('input, select, textarea')
            ?.focus({ preventScroll: true })
        }}
      >
        {t.try}
      </Button>
    </span>
  )
}

/** The request from the form. Empty fields are omitted. */
function assemble(
  { method, path, parameters = [] }: Operation,
  values: Readonly<Record<string, string>>,
  contentType: string | undefined,
  body: string,
): TriedRequest {
  const given = (place: string) =>
    parameters.flatMap(({ name, in: where }) => {
      const value = values[`${where} ${name}`] ?? ''
      return where === place && value !== '' ? [[name, value] as const] : []
    })
  const ids = new Map(given('path'))
  const filled = path.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = ids.get(name)
    return value === undefined ? whole : encodeURIComponent(value)
  })
  const search = String(new URLSearchParams(given('query').map(([name, value]) => [name, value])))
  return {
    method,
    target: search === '' ? filled : `${filled}?${search}`,
    headers: Object.fromEntries(given('header')),
    contentType,
    body: contentType === undefined ? undefined : body,
  }
}

function writeExample(api: OpenApi, operation: Operation, contentType = ''): string {
  const content = operation.requestBody?.content[contentType]
  const example = content && exampleOf(api, content)
  if (example === undefined) return ''
  if (contentType !== formType) return JSON.stringify(example, null, 2)
  return String(new URLSearchParams(example as Record<string, string>)) // a form has only texts
}

function rowsOf(text: string): number {
  return Math.min(18, Math.max(3, text.split('\n').length + 1))
}
