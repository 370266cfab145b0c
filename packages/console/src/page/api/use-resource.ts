import { useCallback, useEffect, useState } from 'preact/hooks'
import type { Problem } from './problem.ts'
import { type Answer, type RequestOptions, request } from './request.ts'
import { useLatestRead } from './use-latest-read.ts'

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
  const { read, stop, isLoading, setLoading, problem } = useLatestRead()
  const { query, accountId } = options
  const key = JSON.stringify([path, query, accountId])

  const load = useCallback(async (): Promise<void> => {
    if (path === undefined) {
      stop()
      return setLoading(false)
    }
    await read(
      (signal) => request<Data>(path, { ...(query && { query }), accountId, signal }),
      (answer) => setNewest({ answer, key }),
    )
    // The key stands for path, query and account
  }, [key])

  useEffect(() => {
    load()
    return stop
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
