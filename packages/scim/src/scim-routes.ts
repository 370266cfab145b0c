import type { Clientele, Mountable } from '@clientele/core'

/**
 * Answers the requests of SCIM 2.0 (RFC 7644) at and below `/scim/v2`: pass it to an adapter like a Clientele. The bearer
 * token of an identity provider is an API key with the scope `scim`, whose account it provisions.
 *
 * @example
 * import { scimRoutes } from '@clientele/scim'
 *
 * app.use('/api/v1', clienteleRoutes(clientele))
 * app.use('/api/v1', clienteleRoutes(scimRoutes(clientele)))
 */
export function scimRoutes(clientele: Clientele): Mountable {
  return clientele.scim.routes()
}
