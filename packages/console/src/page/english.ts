/**
 * Every word of the console, by the screen that it stands on. Another language is another file with the same members.
 */
export const english = {
  product: 'Clientele',

  words: {
    add: 'Add',
    cancel: 'Cancel',
    close: 'Close',
    copied: 'Copied.',
    copy: 'Copy',
    delete: 'Delete',
    edit: 'Edit',
    loading: 'Loading…',
    never: 'never',
    no: 'No',
    notCopied: 'The browser did not allow to copy. Select the text and copy it.',
    refresh: 'Refresh',
    remove: (what: string) => `Remove ${what}`,
    save: 'Save',
    saved: 'Saved.',
    shownOnce: 'It is shown this once. Keep it where only your servers can read it.',
    tryAgain: 'Try again',
    typeName: (name: string) => `Type “${name}” to confirm`,
    yes: 'Yes',
  },

  problems: {
    forbiddenTitle: 'Not allowed',
    noAnswer: 'No answer came. Nothing that you typed is lost: try again when you are online.',
    noJson: 'The answer was not what this page expects. Is there a proxy in between?',
    notFound: 'This page does not exist.',
    offlineTitle: 'The server cannot be reached',
    refusedTitle: 'That did not work',
    requestId: 'Request',
    retryAfter: (seconds: number) => `Try again in ${seconds} s.`,
    status: (status: number) => `The server answered with status ${status}.`,
    tooManyTitle: 'Too many attempts',
    unavailable: 'The database does not answer at the moment. This passes: try again soon.',
    unavailableTitle: 'The service is not available',
    wholeBody: 'input',
  },

  pager: {
    label: 'Pages',
    next: 'Next',
    previous: 'Previous',
    range: (first: string, last: string, total: string) => `${first} to ${last} of ${total}`,
  },

  shell: {
    account: 'Account',
    allAccounts: 'All accounts',
    dark: 'Dark colours',
    light: 'Light colours',
    menu: 'Menu',
    navigation: 'Screens',
    operator: 'Operator',
    operatorScreens: 'For operators',
    signOut: 'Sign out',
    skip: 'Skip to the content',
  },

  signIn: {
    button: 'Sign in',
    ended: 'Your session has ended',
    endedText: 'Sign in again. The page stays as it is, and nothing that you typed is lost.',
    field: 'API key or sign-in link',
    hint: 'A key begins with cu_. Whoever runs the server makes a link with: npx clientele console-link',
    lead: 'See who your users are, and what happens to them.',
    linkUsed:
      'This link has been used, or is older than ten minutes. Make another: npx clientele console-link',
    title: 'Sign in to the console',
  },

  overview: {
    title: 'Overview',
  },

  users: {
    title: 'Users',
    active: 'Active',
    clear: 'Clear filters',
    create: 'New user',
    created: 'Created',
    email: 'E-mail',
    found: (count: string, total: number) =>
      `${count} ${total === 1 ? 'user matches' : 'users match'}`,
    inactive: 'Inactive',
    isActive: 'May sign in',
    isActiveHint: 'Who may not has no valid token, and no session.',
    made: (name: string) => `${name} was created.`,
    metadata: 'Metadata',
    metadataHint: 'JSON: an object of up to five entries.',
    metadataInvalid: 'This is no JSON object.',
    moreRoles: (count: number) => `+ ${count}`,
    name: 'Name',
    newPasswordHint: 'Leave it empty to keep the password. A new one ends every session.',
    none: 'No users yet',
    noneFound: 'Nobody matches',
    noneFoundText: 'The search looks at the beginnings of words in names, and of e-mail addresses.',
    noneText:
      'Create the first one here, let your backend create them, or import those that you have.',
    password: 'Password',
    passwordHint: '6 to 100 characters.',
    roles: 'Roles',
    rolesHint: 'Type a role and press Enter.',
    state: 'State',
    total: (count: string, total: number) => `${count} ${total === 1 ? 'user' : 'users'}`,
    filters: {
      anyRole: 'Any role',
      anyState: 'All',
      byEmail: 'E-mail, A to Z',
      byEmailDown: 'E-mail, Z to A',
      byName: 'Name, A to Z',
      byNameDown: 'Name, Z to A',
      created: 'Dates',
      from: 'Created from',
      limit: 'Per page',
      newest: 'Newest first',
      oldest: 'Oldest first',
      role: 'Role',
      search: 'Search',
      searchHint: 'Name or e-mail',
      sort: 'Sort by',
      state: 'State',
      to: 'Created to',
    },
  },

  user: {
    title: 'User',
  },

  events: {
    title: 'Events',
  },

  webhooks: {
    title: 'Webhooks',
  },

  transfer: {
    title: 'Import and export',
  },

  reference: {
    title: 'API reference',
  },

  accounts: {
    title: 'Accounts',
  },

  keys: {
    title: 'API keys',
  },

  issuers: {
    title: 'Issuers',
  },

  signingKeys: {
    title: 'Signing keys',
  },

  settings: {
    title: 'Passkey settings',
  },
}
