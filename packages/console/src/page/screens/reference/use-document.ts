import { type Resource, useResource } from '../../api/use-resource.ts'
import { useAccountId } from '../../session/use-access.ts'
import type { OpenApi } from './open-api.ts'

let kept: OpenApi | undefined

/** The description of the API: it is the same for every account, and read once. */
export function useDocument(): Resource<OpenApi> {
  const accountId = useAccountId()
  const path = kept === undefined ? 'api/client/user/openapi.json' : undefined
  const resource = useResource<OpenApi>(path, { accountId })
  kept ??= resource.data
  return { ...resource, data: kept }
}
