/** Whether a text is a valid public URL: an http(s) address without credentials, query or fragment. */
export function isPublicUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password, search, hash } = new URL(text)
  return /^https?:$/.test(protocol) && username + password + search + hash === ''
}

/** The one spelling of a public URL that issuers are named by, and its path; neither ends in a slash. */
export function readPublicUrl(text: string): { publicUrl: string; publicPath: string } {
  const { origin, pathname } = new URL(text)
  const publicPath = pathname.replace(/\/+$/, '')
  return { publicUrl: `${origin}${publicPath}`, publicPath }
}
