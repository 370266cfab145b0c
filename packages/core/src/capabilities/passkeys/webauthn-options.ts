import { z } from 'zod'

// The options that browsers take (WebAuthn Level 3, section 5.1). These schemas document; they validate nothing.

const bytes = (example: string) =>
  z.string().meta({ description: 'base64url', examples: [example] })
const challenge = bytes('Zk0pQ2cXy8rW5uL1vT7sN3bH9dJ4fA6gE0iM8oK2qRY')
const timeout = z
  .int()
  .min(0)
  .max(2_147_483_647)
  .meta({ format: 'int32', description: 'Milliseconds', examples: [300_000] })
const rpIdExample = 'example.com'
const descriptor = z.object({
  id: bytes('AQIDBAUGBwgJCgsMDQ4PEA'),
  type: z.literal('public-key'),
  transports: z.array(z.string().meta({ examples: ['internal'] })).optional(),
})
const requirement = (example: string) => z.string().meta({ examples: [example] })

/** PublicKeyCredentialCreationOptionsJSON: for `navigator.credentials.create`. */
export const creationOptionsSchema = z
  .object({
    rp: z.object({
      id: z.string().meta({ examples: [rpIdExample] }),
      name: z.string().meta({ examples: ['Acme'] }),
    }),
    user: z.object({
      id: bytes('AZ364mpNfD6bHy9KXG1-jw'),
      name: z.string().meta({ examples: ['ada@example.com'] }),
      displayName: z.string().meta({ examples: ['Ada Lovelace'] }),
    }),
    challenge,
    pubKeyCredParams: z.array(
      z.object({
        alg: z.literal([-8, -7, -257]),
        type: z.literal('public-key'),
      }),
    ),
    timeout,
    attestation: requirement('none'),
    excludeCredentials: z.array(descriptor),
    authenticatorSelection: z.looseObject({
      residentKey: requirement('preferred'),
      userVerification: requirement('required'),
    }),
    extensions: z.looseObject({}).meta({ examples: [{ credProps: true }] }),
    hints: z.array(z.string().meta({ examples: ['client-device'] })),
  })
  .meta({ id: 'PasskeyCreationOptions' })
export type PasskeyCreationOptions = z.output<typeof creationOptionsSchema>

/** PublicKeyCredentialRequestOptionsJSON: for `navigator.credentials.get`. */
export const requestOptionsSchema = z
  .object({
    challenge,
    rpId: z.string().meta({ examples: [rpIdExample] }),
    timeout,
    userVerification: requirement('required'),
    allowCredentials: z.array(descriptor).optional(),
  })
  .meta({ id: 'PasskeyRequestOptions' })
export type PasskeyRequestOptions = z.output<typeof requestOptionsSchema>
