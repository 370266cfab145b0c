/** A sentence about the difference between two spellings of one issuer; empty for two different issuers. */
export function describeDifference(one: string, other: string): string {
  const [first, second] = [one, other].map(readSpelling)
  if (first === undefined || second === undefined) return ''
  if (first.rest.toLowerCase() !== second.rest.toLowerCase()) return ''
  const ways = [
    ...(first.scheme === second.scheme ? [] : ['http and https']),
    ...(first.rest === second.rest ? [] : ['upper and lower case']),
    ...(first.slashes === second.slashes ? [] : ['a slash at the end']),
  ]
  return ` They differ in ${ways.join(', ')}.`
}

function readSpelling(issuer: string) {
  let end = issuer.length
  while (issuer[end - 1] === '/') end--
  const start = /^https?:/i.exec(issuer)?.[0].length ?? 0
  return {
    scheme: issuer.slice(0, start).toLowerCase(),
    rest: issuer.slice(start, end),
    slashes: issuer.length - end,
  }
}
