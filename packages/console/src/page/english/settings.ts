export const settings = {
  aboutChange:
    'A passkey works only with the domain for which it was created. While users have passkeys, a change of the domain is refused, unless you confirm it.',
  aboutOrigins:
    'Your page sends the browser’s response to your server, and the response names the page. Other pages are refused.',
  aboutRpId:
    'Choose your shortest domain: example.com works on app.example.com too. To try passkeys, use localhost, with http://localhost:3000 as its page.',
  aboutTitle: 'About these settings',
  change: 'Another domain later',
  force: 'Change it anyway',
  forceSecond:
    'Users whose only second factor is such a passkey cannot sign in with the password either: remove it first.',
  forceText: (before: string, after: string) =>
    `Users have passkeys for ${before}. With ${after} these stop working, until you change it back.`,
  forceTitle: 'Passkeys that exist will stop working',
  lead: 'The site that your users sign in to with a fingerprint, a face or a PIN instead of a password.',
  notSet:
    'Passkeys are not set up yet: until then, requests for them are answered with passkeys_not_configured.',
  origins: 'Pages',
  originsHint: 'The origins of your pages: scheme and host, 20 at most.',
  requireToken: 'A user has to be signed in to add a passkey',
  requireTokenHint:
    'Then an API key alone is not enough to add a passkey to a user: the user’s own token is needed, too.',
  rpId: 'Domain',
  rpIdHint: 'Without https:// and without a port.',
  rpName: 'Name',
  rpNameHint: 'The name of your site in the browser’s dialogs.',
  site: 'Your site',
  title: 'Passkey settings',
}
