/** An account as the console's server lists it. */
export interface Account {
  id: string
  name: string
  slug: string | null
  external_id: string | null
  created_at: string
  /** Since when its keys and its users' tokens are refused; null: they are not */
  disabled_at: string | null
}

export interface AccountPage {
  accounts: readonly Account[]
  /** Where the next page begins; null: there are no others */
  next: string | null
}

/** The response to a creation, with the secret that is shown only once. */
export interface NewAccount {
  account: Account
  api_key: string
}
