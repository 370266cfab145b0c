import type { Page } from 'playwright-core'

/** How an authenticator of the browser's own behaves (WebAuthn Level 3, section 11). */
export interface AuthenticatorOptions {
  /** A phone or a computer keeps passkeys that it finds by itself; an old security key does not. */
  hasResidentKey?: boolean
  hasUserVerification?: boolean
  /** Whether the finger is the right one */
  isUserVerified?: boolean
  /** Whether its passkeys may be copied to other devices */
  isSynced?: boolean
  transport?: 'internal' | 'usb'
}

/** A passkey as Chromium's virtual authenticator keeps it. */
export interface StoredCredential {
  credentialId: string
  isResidentCredential: boolean
  rpId?: string
  /** PKCS#8 */
  privateKey: string
  userHandle?: string
  signCount: number
  backupEligibility?: boolean
  backupState?: boolean
}

export interface VirtualAuthenticator {
  credentials(): Promise<StoredCredential[]>
  add(credential: StoredCredential): Promise<void>
  clear(): Promise<void>
  setUserVerified(isUserVerified: boolean): Promise<void>
}

/** Plugs an authenticator into a page. Every touch is given. */
export async function addAuthenticator(
  page: Page,
  {
    hasResidentKey = true,
    hasUserVerification = true,
    isUserVerified = true,
    isSynced = false,
    transport = 'internal',
  }: AuthenticatorOptions = {},
): Promise<VirtualAuthenticator> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport, hasResidentKey, hasUserVerification, isUserVerified },
      automaticPresenceSimulation: true,
      ...{ defaultBackupEligibility: isSynced, defaultBackupState: isSynced },
    },
  })
  return {
    credentials: async () =>
      (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials,
    add: async (credential) => {
      await cdp.send('WebAuthn.addCredential', { authenticatorId, credential })
    },
    clear: async () => {
      await cdp.send('WebAuthn.clearCredentials', { authenticatorId })
    },
    setUserVerified: async (isUserVerified) => {
      await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })
    },
  }
}
