import axe from 'axe-core'
import type { Page } from 'playwright-core'

const options = {
  // WCAG 2.2, levels A and AA
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa'],
  // What is in order need not be told.
  resultTypes: ['violations'],
}

/** What keeps people out of a page as it is now: the rule that it breaks, and where. */
export async function findBarriers(page: Page): Promise<string[]> {
  if (await page.evaluate('typeof axe === "undefined"')) await page.evaluate(axe.source)
  return page.evaluate(`axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => id + ': ' + html + ' ' + failureSummary)))`)
}
