import { mountBelow } from '../mount/mount-below.ts'
import type { Mountable } from '../mount/mountable.ts'
import { scimPath } from './scim-path.ts'
import type { ScimRoutesServices } from './services.ts'

/** Creates the object that adapters mount for SCIM, which describes itself by its own schemas. */
export function mountScim(services: ScimRoutesServices): Mountable {
  return mountBelow({
    path: scimPath,
    id: 'openScim',
    load: async () => (await import('./handle-scim.ts')).createScimHandler(services),
  })
}
