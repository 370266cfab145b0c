export const signIn = {
  another: (name: string) =>
    `You signed in as ${name}, which is a different user. Sign in as before, or reload the page.`,
  button: 'Sign in',
  ended: 'Your session has ended',
  endedText: 'Sign in again. The page stays as it is, and your input is not lost.',
  field: 'API key or sign-in link',
  hint: 'A key begins with cu_. Operators create a link with: npx clientele console-link',
  lead: 'Manage your users, and follow their events.',
  linkOpened: 'You are signed in by the link.',
  linkRefused: 'The link did not sign you in',
  linkUsed:
    'This link has been used, or is older than ten minutes. Make another: npx clientele console-link',
  notVouched:
    'Your own system did not authorize you. Sign in there, in another tab, and try again; or sign in here.',
  title: 'Sign in to the console',
}
