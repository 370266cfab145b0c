import { z } from 'zod'
import { namesOf } from '../../base/input/wire-data.ts'
import { userFieldNames } from '../../user-model/fields.ts'

/** The kinds of subjects of events. */
export const subjectTypes = [
  'user',
  'account',
  'api_key',
  'signing_key',
  'issuer',
  'webhook',
] as const
export type SubjectType = (typeof subjectTypes)[number]

interface EventDefinition {
  subject: SubjectType
  /**
   * The personal part of `data`: the user after the change, the same with the issuer and subject of an identity or with
   * a reason in free words, the scopes of a token of the user's own, or a typed address. It is stored separately, so that
   * the erasure of a person removes it and leaves the event.
   */
  person?: 'user' | 'identity' | 'reason' | 'scopes' | 'email'
  /** Members of `data`, in camelCase as in process; a date is ISO 8601 on the wire. No personal data, no secrets */
  data: z.ZodRawShape
}

const account = z.object({
  id: z.string(),
  name: z.string(),
  slug: z.string().nullable(),
  externalId: z.string().nullable(),
  metadata: z.record(z.string(), z.string()),
  allowedRoles: z.array(z.string()).nullable(),
  createdAt: z.date(),
  disabledAt: z.date().nullable(),
  passkeys: z
    .object({
      rpId: z.string(),
      rpName: z.string(),
      origins: z.array(z.string()),
      requireToken: z.boolean(),
    })
    .nullable(),
  policy: z.object({
    signIn: z.array(z.string()),
    secondFactor: z.string(),
    passwordRequired: z.boolean(),
    minPasswordLength: z.int().nullable(),
    verifiedEmail: z.string(),
    rememberDeviceDays: z.int(),
    sessionTtlSeconds: z.int().nullable(),
    sessionMaxSeconds: z.int().nullable(),
  }),
})
const sessionId = z.string()
const issuer = z.string().describe('`iss` of its tokens')
/** Members of a user that are not fields: those of SCIM */
export const furtherUserMembers = ['userName', 'externalId', 'givenName', 'familyName'] as const
export type FurtherUserMember = (typeof furtherUserMembers)[number]
const changed = namesOf(
  [...userFieldNames, 'password', 'emailVerified', ...furtherUserMembers],
  'The names of the changed members',
)
const aboutUser = { subject: 'user', person: 'user' } as const
const aboutIdentity = { subject: 'user', person: 'identity' } as const
const identityId = z.string()
/** A group of SCIM. Its members are users, who have events of their own. */
const aboutGroup = {
  subject: 'account',
  data: { groupId: z.string(), role: z.string().describe('The role of its members') },
} as const
const passkeyId = z.string()
const tokenId = z.string()
const passkeyUses = ['first_factor', 'second_factor'] as const

/**
 * Every event. The types of listeners and of the feed, the data that a write must provide, and the lists in the guide
 * and the OpenAPI document are made from this table.
 */
export const eventTypes = {
  'user.created': { ...aboutUser, data: {} },
  'user.updated': {
    ...aboutUser,
    data: {
      changed,
      keptSessionId: sessionId
        .optional()
        .describe('The session that survived the new password, or was opened with it'),
      revokedTokens: z
        .boolean()
        .optional()
        .describe("Whether the new password has ended the user's own tokens, too"),
    },
  },
  'user.invited': { ...aboutUser, data: {} },
  'user.activated': { ...aboutUser, data: {} },
  'user.deactivated': { ...aboutUser, data: {} },
  'user.deleted': { ...aboutUser, data: {} },
  // These events keep no copy of the person: the first erases all copies, the second only records the access.
  'user.erased': { subject: 'user', data: {} },
  'user.exported': { subject: 'user', data: {} },
  'users.imported': {
    subject: 'account',
    data: { count: z.int(), firstId: z.string(), lastId: z.string() },
  },
  // Exporting the whole log leaves an entry in it.
  'events.exported': {
    subject: 'account',
    data: { since: z.date().nullable().describe('The start of the export; null: all events') },
  },
  'user.logged_in': {
    ...aboutUser,
    data: { sessionId, amr: z.array(z.string()).describe('Authentication methods (RFC 8176)') },
  },
  'user.reauthenticated': {
    ...aboutUser,
    data: { sessionId, amr: z.array(z.string()).describe('Authentication methods (RFC 8176)') },
  },
  'user.impersonated': {
    subject: 'user',
    person: 'reason',
    data: {
      sessionId,
      impersonatedBy: z.string().describe('Who acts as the user, in the words of the caller'),
      expiresAt: z.date().describe('When the session ends at the latest'),
    },
  },
  'user.login_failed': {
    subject: 'user',
    person: 'email',
    data: {
      reason: z
        .enum(['refused_by_hook'])
        .optional()
        .describe(
          '`refused_by_hook`: the user has shown everything, and a hook refused the sign-in',
        ),
    },
  },
  'user.logged_out': { ...aboutUser, data: { sessionId } },
  'user.password_reset_requested': { subject: 'user', person: 'email', data: {} },
  'user.password_reset': { ...aboutUser, data: {} },
  'user.password_expired': { ...aboutUser, data: {} },
  // The new address is in no event: until it is confirmed, it may be a stranger's.
  'user.email_change_requested': { ...aboutUser, data: {} },
  'user.email_change_cancelled': { ...aboutUser, data: {} },
  'user.email_verified': {
    ...aboutUser,
    data: {
      revokedCredentials: z
        .boolean()
        .describe(
          'Whether it was the first proof of the address, or took back a change of it: all earlier sessions, second factors, passkeys, identities and tokens of the user have ended',
        ),
      keptSessionId: sessionId.optional().describe('The session that was opened with it'),
    },
  },
  'session.revoked': { subject: 'user', data: { sessionIds: z.array(sessionId) } },
  'session.reuse_detected': { subject: 'user', data: { sessionId } },
  // Never the name of a device, which is the user's own words: an erasure empties no data.
  'device.remembered': { subject: 'user', data: { deviceId: z.string() } },
  'device.removed': {
    subject: 'user',
    data: {
      deviceIds: z.array(z.string()),
      reason: z
        .enum(['requested', 'token_reused', 'surplus'])
        .describe(
          '`token_reused`: a used token came again, so the device ended itself. `surplus`: the user had the most devices that a user can have, so that which was unused for longest ended',
        ),
    },
  },
  // Never the name of a token, which is the user's own words.
  'user_token.created': {
    subject: 'user',
    person: 'scopes',
    data: {
      tokenId,
      expiresAt: z.date().nullable().describe('Null: it does not expire'),
    },
  },
  'user_token.updated': { subject: 'user', data: { tokenId } },
  'user_token.revoked': {
    subject: 'user',
    data: {
      tokenIds: z.array(tokenId),
      reason: z
        .enum(['requested', 'address_proved', 'email_change_undone', 'taken_over'])
        .describe(
          '`address_proved`: it was older than the first proof of the address; `email_change_undone`: a change of the address was taken back; `taken_over`: SCIM took over the user, whose address nobody had proved',
        ),
    },
  },
  'two_factor.enrolled': { ...aboutUser, data: { method: z.enum(['totp', 'email']) } },
  'two_factor.recovery_codes_renewed': { ...aboutUser, data: {} },
  'two_factor.removed': { ...aboutUser, data: {} },
  'passkey.enrolled': { ...aboutUser, data: { passkeyId, use: z.enum(passkeyUses) } },
  'passkey.renamed': { ...aboutUser, data: { passkeyId } },
  'passkey.removed': { ...aboutUser, data: { passkeyId } },
  'identity.linked': {
    ...aboutIdentity,
    data: {
      identityId,
      revokedCredentials: z
        .boolean()
        .describe(
          'Whether the earlier password, second factors, passkeys, sessions and other identities have ended',
        ),
      keptSessionId: sessionId.optional().describe('The session that was opened with it'),
    },
  },
  'identity.unlinked': { ...aboutIdentity, data: { identityId } },
  'account.updated': { subject: 'account', data: { account } },
  'account.disabled': { subject: 'account', data: { account } },
  'account.enabled': { subject: 'account', data: { account } },
  'group.created': { ...aboutGroup },
  'group.updated': { ...aboutGroup },
  'group.deleted': { ...aboutGroup },
  'api_key.created': {
    subject: 'api_key',
    data: { name: z.string(), scopes: z.array(z.string()) },
  },
  'api_key.rotated': {
    subject: 'api_key',
    data: {
      name: z.string(),
      scopes: z.array(z.string()),
      replacedKeyId: z.string(),
      replacedKeyExpiresAt: z.date().describe('When the replaced key expires'),
    },
  },
  'api_key.revoked': { subject: 'api_key', data: {} },
  // A caller still uses a revoked or expired key: at most one event per minute and key.
  'api_key.refused': { subject: 'api_key', data: { reason: z.enum(['revoked', 'expired']) } },
  'signing_key.created': { subject: 'signing_key', data: { algorithm: z.string() } },
  'signing_key.rotated': {
    subject: 'signing_key',
    data: {
      previousKeyId: z.string(),
      algorithm: z.string(),
      reason: z.enum(['command', 'age']),
      signsAt: z.date().describe('When it starts to sign and the previous key stops'),
    },
  },
  'signing_key.retired': { subject: 'signing_key', data: {} },
  'signing_key.removed': { subject: 'signing_key', data: {} },
  'issuer.created': { subject: 'issuer', data: { issuer } },
  'issuer.updated': { subject: 'issuer', data: { issuer } },
  'issuer.deleted': { subject: 'issuer', data: { issuer } },
  // Never the URL: it may contain a secret.
  'webhook.created': {
    subject: 'webhook',
    data: { types: z.array(z.string()), description: z.string() },
  },
  'webhook.updated': {
    subject: 'webhook',
    data: {
      changed: namesOf(
        ['url', 'types', 'description', 'isActive'],
        'The names of the changed members',
      ),
    },
  },
  'webhook.secret_rotated': { subject: 'webhook', data: {} },
  'webhook.replayed': {
    subject: 'webhook',
    data: { after: z.string().describe('The cursor after which all events are sent again') },
  },
  'webhook.disabled': { subject: 'webhook', data: { reason: z.enum(['gone', 'failing']) } },
  'webhook.deleted': { subject: 'webhook', data: {} },
} as const satisfies Record<string, EventDefinition>

export type EventTypes = typeof eventTypes
export type EventType = keyof EventTypes
export type EventData<Type extends EventType> = {
  -readonly [Name in keyof EventTypes[Type]['data']]: z.output<EventTypes[Type]['data'][Name]>
}
export const eventTypeNames = Object.keys(eventTypes) as EventType[] // the object's own keys

/** The description of any type. */
export function definitionOf(type: EventType): EventDefinition {
  return eventTypes[type]
}
