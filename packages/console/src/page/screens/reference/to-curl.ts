import type { TriedRequest } from './try-request.ts'

/** The request as a curl command. `base` is the address of the mount, without a slash at its end. */
export function toCurl(
  { method, target, headers, contentType, body }: TriedRequest,
  base: string,
  needsKey: boolean,
): string {
  const parts = [`curl ${method === 'GET' ? '' : `-X ${method} `}${quote(base + target)}`]
  // Double quotes: the shell puts the key in.
  if (needsKey) parts.push('-H "Authorization: Bearer $API_KEY"')
  for (const [name, value] of Object.entries(headers))
    parts.push(`-H ${quote(`${name}: ${value}`)}`)
  if (body !== undefined) {
    parts.push(`-H ${quote(`Content-Type: ${contentType}`)}`, `--data-raw ${quote(body)}`)
  }
  return parts.join(' \\\n  ')
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
