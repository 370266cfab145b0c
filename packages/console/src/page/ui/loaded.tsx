import type { JSX } from 'preact'
import type { Resource } from '../api/use-resource.ts'
import { ProblemNotice } from './problem-notice.tsx'
import { Loading } from './states.tsx'

/** Shows the loaded content, or that it is loading, or the error. While loading, older content stays. */
export function Loaded<Data>({
  resource,
  children,
}: {
  resource: Resource<Data>
  children: (data: Data) => JSX.Element | null
}): JSX.Element {
  const { data, problem, isLoading, reload } = resource
  return (
    <>
      <ProblemNotice problem={problem} onRetry={reload} />
      {data === undefined ? isLoading && <Loading /> : children(data)}
    </>
  )
}
