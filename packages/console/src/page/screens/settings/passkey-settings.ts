export interface PasskeySettings {
  /** A domain, without scheme and port */
  rp_id: string
  /** What the browser calls the site */
  rp_name: string
  origins: readonly string[]
  /** Whether enrolling asks for the user's own token */
  require_token: boolean
}

export interface PasskeySettingsAnswer {
  /** Null: nobody has said yet */
  passkeys: PasskeySettings | null
}
