export interface PasskeySettings {
  /** A domain, without scheme and port */
  rp_id: string
  /** The site's name in the browser's dialogs */
  rp_name: string
  origins: readonly string[]
  /** Whether enrolling asks for the user's own token */
  require_token: boolean
}

export interface PasskeySettingsAnswer {
  /** Null: not set yet */
  passkeys: PasskeySettings | null
}
