import { z } from 'zod'

// The responses that browsers send (WebAuthn Level 3, section 5.1). Browsers add members over time: unused ones are
// ignored.

function base64url(maximum: number, example: string): z.ZodString {
  return z
    .string()
    .min(1)
    .max(maximum)
    .regex(/^[\w-]+$/, 'must be base64url, without padding')
    .meta({ examples: [example] })
}

const credentialIdExample = 'AQIDBAUGBwgJCgsMDQ4PEA'
const clientDataExample = 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0'
// Credential ids have at most 1,023 bytes.
const credentialId = base64url(1364, credentialIdExample)
const clientDataJSON = base64url(4096, clientDataExample)

const credential = {
  id: credentialId,
  rawId: credentialId,
  type: z.literal('public-key'),
}

/** RegistrationResponseJSON: the browser's response to creating a passkey. */
export const registrationResponseSchema = z
  .object({
    ...credential,
    response: z.object({
      clientDataJSON,
      // 12 KiB are enough for a certificate chain, which some authenticators send unasked.
      attestationObject: base64url(16_384, 'o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVg'),
      transports: z
        .array(
          z
            .string()
            .max(32)
            .meta({ examples: ['internal'] }),
        )
        .max(10)
        .optional(),
    }),
  })
  .meta({ id: 'RegistrationResponse' })
export type RegistrationResponse = z.input<typeof registrationResponseSchema>

/** AuthenticationResponseJSON: the browser's response to using a passkey. */
export const authenticationResponseSchema = z
  .object({
    ...credential,
    response: z.object({
      clientDataJSON,
      authenticatorData: base64url(2048, 'SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAA'),
      signature: base64url(2048, 'MEUCIQDx'),
      userHandle: base64url(128, 'AZ364mpNfD6bHy9KXG1-jw').nullable().optional(),
    }),
  })
  .meta({ id: 'AuthenticationResponse' })
export type AuthenticationResponse = z.input<typeof authenticationResponseSchema>
