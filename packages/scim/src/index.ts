/** SCIM 2.0: identity providers such as Okta and Entra ID provision the users of an account. @module */

export { scimRoutes } from './scim-routes.ts'
