import { settingTable } from '../../../cli/src/server/settings/setting-table.ts'
import type { Page } from '../pages/page.ts'
import { escapeText, joinParts, toCode } from './markdown.ts'

/** The environment variables of the server, each with an anchor of its own. */
export function describeServerSettings(): Page {
  const settings = Object.values(settingTable)
  return {
    route: '/reference/settings/',
    title: 'Settings of the server',
    text: joinParts(
      '# Settings of the server',
      'The server reads environment variables. An empty variable counts as not set. The server refuses to start with an ' +
        'invalid setting, and names all of them.',
      ...settings.map(({ variable, fallback, about }) =>
        joinParts(
          `## ${variable}`,
          fallback === undefined ? 'Not set by default.' : `Default: ${toCode(fallback)}`,
          escapeText(capitalise(about)),
        ),
      ),
    ),
  }
}

function capitalise(text: string): string {
  const sentence = text.replace(/^[a-z]/, (letter) => letter.toUpperCase())
  return /[.)]$/.test(sentence) ? sentence : `${sentence}.`
}
