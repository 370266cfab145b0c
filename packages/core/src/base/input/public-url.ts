/** Whether a text can say where the mount point is seen from outside: an address, and nothing but. */
export function isPublicUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password, search, hash } = new URL(text)
  return /^https?:$/.test(protocol) && username + password + search + hash === ''
}

/** A public URL in the one spelling that issuers are named by, and its path; neither ends in a slash. */
export function readPublicUrl(text: string): { publicUrl: string; publicPath: string } {
  const { origin, pathname } = new URL(text)
  const publicPath = pathname.replace(/\/+$/, '')
  return { publicUrl: `${origin}${publicPath}`, publicPath }
}
