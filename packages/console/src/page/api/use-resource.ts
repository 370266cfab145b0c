import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { isAbort, type Problem, toProblem } from './problem.ts'
import { type Answer, type RequestOptions, request } from './request.ts'

export interface Resource<Data> {
  /** The newest response; it stays while the next one is loading, and if that fails */
  data: Data | undefined
  etag: string | undefined
  problem: Problem | undefined
  isLoading: boolean
  /** Whether `data` belongs to a previous path, query or account */
  isStale: boolean
  /** Repeats the request. */
  reload: () => Promise<void>
  /** Replaces the response, for instance by that of a change. */
  set: (answer: Answer<Data>) => void
}

/** Reads a resource of the server, again when the path, the query or the account change. No path: no request yet. */
export function useResource<Data>(
  path: string | undefined,
  options: Pick<RequestOptions, 'query' | 'accountId'> = {},
): Resource<Data> {
  const [newest, setNewest] = useState<{ answer: Answer<Data>; key: string }>()
  const [problem, setProblem] = useState<Problem>()
  const [isLoading, setLoading] = useState(true)
  const underWay = useRef<AbortController>(undefined)
  const { query, accountId } = options
  const key = JSON.stringify([path, query, accountId])

  const load = useCallback(async (): Promise<void> => {
    underWay.current?.abort()
    if (path === undefined) return setLoading(false)
    const abort = new AbortController()
    underWay.current = abort
    setLoading(true)
    try {
      const { signal } = abort
      const found = await request<Data>(path, { ...(query && { query }), accountId, signal })
      if (signal.aborted) return
      setNewest({ answer: found, key })
      setProblem(undefined)
    } catch (error) {
      if (isAbort(error) || abort.signal.aborted) return
      setProblem(toProblem(error))
    }
    setLoading(false)
    // The key stands for path, query and account
  }, [key])

  useEffect(() => {
    load()
    return () => underWay.current?.abort()
  }, [load])

  return {
    data: newest?.answer.data,
    etag: newest?.answer.etag,
    problem,
    isLoading,
    isStale: newest !== undefined && newest.key !== key,
    reload: load,
    set: (answer) => setNewest({ answer, key }),
  }
}
