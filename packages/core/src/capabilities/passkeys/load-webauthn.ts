import { ClienteleError } from '../../base/errors.ts'

const name = '@simplewebauthn/server'

/**
 * Loads the WebAuthn library on first use. It has 24 dependencies, so only hosts whose users have passkeys install it.
 *
 * @throws ClienteleError `configuration_invalid`
 */
export async function loadWebAuthn() {
  try {
    const [server, helpers] = await Promise.all([
      import('@simplewebauthn/server'),
      import('@simplewebauthn/server/helpers'),
    ])
    return { ...server, ...helpers }
  } catch (cause) {
    const isMissing =
      cause instanceof Error &&
      'code' in cause &&
      cause.code === 'ERR_MODULE_NOT_FOUND' &&
      cause.message.includes(`'${name}'`)
    if (!isMissing) throw cause
    throw new ClienteleError(
      'configuration_invalid',
      `Passkeys need the package ${name}, which is not installed: npm install ${name}`,
      { cause },
    )
  }
}
