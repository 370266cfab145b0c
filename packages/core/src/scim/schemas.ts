import { groupSchema, userSchema } from './attribute-name.ts'
import { maxResults } from './list-query.ts'
import type { Resource } from './resource.ts'

// The documents that describe the service (RFC 7643, sections 5 to 7).

interface Attribute {
  name: string
  description: string
  type?: 'string' | 'boolean' | 'complex' | 'reference'
  multiValued?: boolean
  required?: boolean
  caseExact?: boolean
  mutability?: 'readOnly' | 'readWrite' | 'writeOnly'
  returned?: 'default' | 'never'
  uniqueness?: 'none' | 'server'
  subAttributes?: readonly Attribute[]
  referenceTypes?: readonly string[]
}

/** With the defaults of RFC 7643, section 2.2 */
function describe({ subAttributes, ...given }: Attribute): Resource {
  return {
    type: 'string',
    multiValued: false,
    required: false,
    caseExact: false,
    mutability: 'readWrite',
    returned: 'default',
    ...(given.type === 'complex' || given.type === 'boolean' ? {} : { uniqueness: 'none' }),
    ...given,
    ...(subAttributes !== undefined && { subAttributes: subAttributes.map(describe) }),
  }
}

const externalId: Attribute = {
  name: 'externalId',
  description: 'The id at the identity provider',
  caseExact: true,
}

const userAttributes: readonly Attribute[] = [
  {
    name: 'userName',
    description: 'The name by which the identity provider knows the user',
    required: true,
    uniqueness: 'server',
  },
  externalId,
  {
    name: 'name',
    description: 'The parts of the name',
    type: 'complex',
    subAttributes: [
      { name: 'formatted', description: 'The whole name: the same as displayName' },
      { name: 'givenName', description: 'The given name' },
      { name: 'familyName', description: 'The family name' },
    ],
  },
  { name: 'displayName', description: 'The name of the user: 2 to 50 characters' },
  {
    name: 'emails',
    description: 'The primary e-mail address is kept',
    type: 'complex',
    multiValued: true,
    subAttributes: [
      { name: 'value', description: 'The address', uniqueness: 'server' },
      { name: 'type', description: 'The kept address is of type work' },
      { name: 'primary', description: 'Whether it is the primary one', type: 'boolean' },
    ],
  },
  { name: 'active', description: 'Whether the user may sign in', type: 'boolean' },
  {
    name: 'password',
    description: 'A password to sign in with',
    caseExact: true,
    mutability: 'writeOnly',
    returned: 'never',
  },
  {
    name: 'groups',
    description: 'The groups of the user, which are changed by their members',
    type: 'complex',
    multiValued: true,
    mutability: 'readOnly',
    subAttributes: [
      { name: 'value', description: 'The id of the group', mutability: 'readOnly' },
      { name: 'display', description: 'The name of the group', mutability: 'readOnly' },
      {
        name: '$ref',
        description: 'The URL of the group',
        type: 'reference',
        referenceTypes: ['Group'],
        mutability: 'readOnly',
      },
      { name: 'type', description: 'direct', mutability: 'readOnly' },
    ],
  },
]

const groupAttributes: readonly Attribute[] = [
  {
    name: 'displayName',
    description: 'The name of the group, which is the role of its members: 1 to 100 characters',
    required: true,
    uniqueness: 'server',
  },
  externalId,
  {
    name: 'members',
    description: 'The users of the group: left out of a response where there are more than 1,000',
    type: 'complex',
    multiValued: true,
    subAttributes: [
      { name: 'value', description: 'The id of the user' },
      { name: 'display', description: 'The name of the user', mutability: 'readOnly' },
      {
        name: '$ref',
        description: 'The URL of the user',
        type: 'reference',
        referenceTypes: ['User'],
        mutability: 'readOnly',
      },
      { name: 'type', description: 'User', mutability: 'readOnly' },
    ],
  },
]

/** The schemas of the resources. */
export function listSchemas(root: string): Resource[] {
  return [
    [userSchema, 'User', 'A user', userAttributes] as const,
    [groupSchema, 'Group', 'A group: the users with a role', groupAttributes] as const,
  ].map(([id, name, description, attributes]) => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'],
    id,
    name,
    description,
    attributes: attributes.map(describe),
    meta: { resourceType: 'Schema', location: `${root}/Schemas/${id}` },
  }))
}

/** The types of resources. */
export function listResourceTypes(root: string): Resource[] {
  return [
    ['User', userSchema, 'A user'] as const,
    ['Group', groupSchema, 'A group: the users with a role'] as const,
  ].map(([name, schema, description]) => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
    id: name,
    name,
    endpoint: `/${name}s`,
    description,
    schema,
    schemaExtensions: [],
    meta: { resourceType: 'ResourceType', location: `${root}/ResourceTypes/${name}` },
  }))
}

/** What the service supports. */
export function describeService(root: string): Resource {
  return {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
    documentationUri:
      'https://github.com/clientele/clientele/blob/main/packages/core/guides/scim.md',
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults },
    changePassword: { supported: true },
    sort: { supported: true },
    etag: { supported: true },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'API key',
        description: 'An API key of the account with the scope scim: Authorization: Bearer <key>',
        specUri: 'https://www.rfc-editor.org/info/rfc6750',
        primary: true,
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${root}/ServiceProviderConfig` },
  }
}
