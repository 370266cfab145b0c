import type { ComponentChildren, JSX } from 'preact'
import { noAnswerCode, type Problem } from '../api/problem.ts'
import { english } from '../english.ts'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'

const t = english.problems

/**
 * Shows an error, when to try again if that is known, and a button for it if `onRetry` is given. Screen readers announce
 * the error at once.
 */
export function ProblemNotice({
  problem,
  onRetry,
}: {
  problem: Problem | undefined
  onRetry?: () => void
}): JSX.Element | null {
  if (problem === undefined) return null
  return (
    <div class="notice bad" role="alert">
      <Icon name="warning" />
      <div>
        <strong>{titleOf(problem)}</strong>
        {problem.code !== 'validation_failed' && <p>{explain(problem)}</p>}
        {problem.issues.length > 0 && (
          <ul>
            {problem.issues.map(({ pointer, message }) => (
              <li key={pointer + message}>
                <code>{pointer.slice(1) || t.wholeBody}</code> {message}
              </li>
            ))}
          </ul>
        )}
        {problem.requestId && problem.code !== 'validation_failed' && (
          <p class="muted small">
            {t.requestId} <code>{problem.requestId}</code>
          </p>
        )}
      </div>
      {onRetry && (
        <Button icon="refresh" onClick={onRetry}>
          {english.words.tryAgain}
        </Button>
      )}
    </div>
  )
}

function titleOf({ status, code }: Problem): string {
  if (code === noAnswerCode) return t.offlineTitle
  if (code === 'validation_failed') return t.fieldsTitle
  if (status === 503 || status === 502 || status === 504) return t.unavailableTitle
  if (status === 429) return t.tooManyTitle
  if (status === 403) return t.forbiddenTitle
  return t.refusedTitle
}

function explain({ retryAfterSeconds, message }: Problem): string {
  return retryAfterSeconds === undefined ? message : `${message} ${t.retryAfter(retryAfterSeconds)}`
}

/** Shows a remark that is not an error. */
export function Notice({
  kind = 'info',
  children,
}: {
  kind?: 'info' | 'warn' | 'good'
  children: ComponentChildren
}): JSX.Element {
  return (
    <div class={`notice ${kind}`} role="status">
      <Icon name={kind === 'good' ? 'check' : kind === 'warn' ? 'warning' : 'info'} />
      <div>{children}</div>
    </div>
  )
}
