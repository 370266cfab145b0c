import { z } from 'zod'
import { ClienteleError } from '../../base/errors.ts'
import { pathIdSchema } from '../../base/input/id.ts'
import { respondWithDocument } from '../../http/render.ts'
import { defineRoute, type Route, type Tag } from '../../http/route.ts'
import { readIssuerMetadata, readKeySet } from './issuer-metadata.ts'
import { accountPath } from './issuer-name.ts'
import type { SigningKeysServices } from './services.ts'

export const documentsTag: Tag = {
  name: 'Documents',
  description:
    'The public keys that verify tokens, and this description. Public: they need no API key.',
}

const jwksSchema = z
  .object({
    keys: z.array(
      z.looseObject({
        kty: z.string().meta({ examples: ['EC'] }),
        kid: z.string().meta({ examples: ['UrWnLcN0sFvWOb2W0s0gLVhJ9YxmS4Y9YhCkM3oQbPk'] }),
      }),
    ),
  })
  .meta({ id: 'Jwks' })

const issuerExample =
  'https://api.example.com/api/v1/client/account/019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f'
const url = (example: string) => z.url().meta({ examples: [example] })
const names = (...examples: string[]) => z.array(z.string()).meta({ examples: [examples] })
const metadataSchema = z
  .object({
    issuer: url(issuerExample),
    jwks_uri: url(`${issuerExample}/.well-known/jwks.json`),
    introspection_endpoint: url('https://api.example.com/api/v1/client/user/auth/introspect'),
    token_endpoint_auth_methods_supported: names('client_secret_basic'),
    id_token_signing_alg_values_supported: names('ES256', 'EdDSA', 'RS256'),
    subject_types_supported: names('public'),
    response_types_supported: names(),
  })
  .meta({ id: 'IssuerMetadata' })

const common = {
  method: 'GET',
  tag: documentsTag,
  pathSchema: z.object({ account_id: pathIdSchema('account_not_found') }),
} as const

function defineMetadataRoute(
  services: SigningKeysServices,
  id: string,
  document: string,
  standard: string,
): Route {
  return defineRoute({
    ...common,
    id,
    path: `${accountPath}/{account_id}/.well-known/${document}`,
    summary: `The metadata for verifiers of the account's tokens, found by the issuer's URL (${standard})`,
    responses: { 200: { description: 'Metadata', schema: metadataSchema } },
    errors: [
      'account_not_found',
      'route_not_found',
      'method_not_allowed',
      'storage_unavailable',
      'internal_error',
    ],
    handle: async (_context, { path }) => {
      const metadata = await readIssuerMetadata(services, path.account_id)
      if (metadata === undefined) throw new ClienteleError('route_not_found')
      return respondWithDocument(JSON.stringify(metadata))
    },
  })
}

export function createSigningKeyRoutes(services: SigningKeysServices): Route[] {
  return [
    defineRoute({
      ...common,
      id: 'readJwks',
      path: `${accountPath}/{account_id}/.well-known/jwks.json`,
      summary: "The public keys that verify the account's tokens (RFC 7517)",
      responses: { 200: { description: 'A JWK set', schema: jwksSchema } },
      errors: ['account_not_found', 'method_not_allowed', 'storage_unavailable', 'internal_error'],
      handle: async (_context, { path }) =>
        respondWithDocument(JSON.stringify(await readKeySet(services, path.account_id))),
    }),
    defineMetadataRoute(
      services,
      'readOpenIdConfiguration',
      'openid-configuration',
      'OpenID Connect Discovery',
    ),
    defineMetadataRoute(services, 'readServerMetadata', 'oauth-authorization-server', 'RFC 8414'),
  ]
}
