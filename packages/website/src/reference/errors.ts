import { httpErrors, localErrors } from '../../../core/src/base/errors.ts'
import type { Page } from '../pages/page.ts'
import { escapeText, joinParts, toBlock, toTable } from './markdown.ts'
import type { Operation } from './read-operations.ts'

/**
 * A page for each error code, at the path that the `type` of a problem names: `urn:clientele:problem:email_taken` is at
 * `/problem/email_taken/`.
 */
export function describeErrors(operations: readonly Operation[], methods: readonly Page[]): Page[] {
  const ofHttp = Object.entries(httpErrors).flatMap(([status, codes]) =>
    Object.entries(codes).map(([code, message]) => ({ code, message, status })),
  )
  const ofHosts = Object.entries(localErrors).map(([code, message]) => ({
    code,
    message,
    status: undefined,
  }))
  return [...ofHttp, ...ofHosts].map(({ code, message, status }): Page => {
    const answering = operations.filter(({ codes }) => codes.includes(code))
    const throwing = findThrowers(code, methods)
    const problem = {
      type: `urn:clientele:problem:${code}`,
      status: Number(status),
      detail: message,
      code,
    }
    return {
      route: `/problem/${code}/`,
      title: code,
      text: joinParts(
        `# \`${code}\``,
        escapeText(message),
        status === undefined
          ? 'Only the program that embeds Clientele meets this error: it is the `code` of a `ClienteleError`.'
          : `Over HTTP: status ${status}, and this problem document (RFC 9457). In process: a \`ClienteleError\` with this \`code\`.`,
        status === undefined ? '' : toBlock('json', JSON.stringify(problem, null, 2)),
        answering.length === 0 ? '' : '## Requests that answer with it',
        toTable(
          ['request', ''],
          answering.map(({ method, path, summary, anchor }) => [
            `[\`${method} ${path}\`](/reference/http/#${anchor})`,
            escapeText(summary),
          ]),
        ),
        throwing.length === 0 ? '' : '## Methods that throw it',
        throwing.join(', '),
        'Decide by the code: the message may change. [All error codes](/problem/)',
      ),
    }
  })
}

/** Links to the methods that name a code below `Throws`. */
function findThrowers(code: string, pages: readonly Page[]): string[] {
  return pages.flatMap(({ route, text }) => {
    const [, group = 'clientele'] = /^# `([\w.]+)`/.exec(text) ?? []
    return text.split(/^## /m).flatMap((part) => {
      const [name = ''] = part.split('\n')
      const [throws = ''] = /^\*\*Throws\*\*.*?(?=\n\n|$)/ms.exec(part) ?? []
      const link = `[\`${group}.${name}\`](${route}#${name.toLowerCase()})`
      return throws.includes(`\`${code}\``) ? [link] : []
    })
  })
}

/** The list of codes, with a link to the page of each. */
export function linkErrorList(page: Page): Page {
  const text = page.text.replaceAll(/\| `([a-z_]+)` \|/g, '| [`$1`](/problem/$1/) |')
  return { ...page, text }
}
