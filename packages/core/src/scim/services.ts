import type { ScimServices } from '../capabilities/scim/services.ts'
import type { MountServices } from '../mount/services.ts'

/** The services that this shelf needs. */
export type ScimRoutesServices = ScimServices & MountServices
