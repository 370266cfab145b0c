/** Whether a text can say where the mount point is seen from outside: an address, and nothing but. */
export function isPublicUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password, search, hash } = new URL(text)
  return /^https?:$/.test(protocol) && username + password + search + hash === ''
}

/** The path of a public URL, without a slash at its end: what stands before our own paths. */
export function readPublicPath(publicUrl: string): string {
  return new URL(publicUrl).pathname.replace(/\/+$/, '')
}
