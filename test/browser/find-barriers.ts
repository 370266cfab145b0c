import axe from 'axe-core'
import type { Page } from 'playwright-core'

// WCAG 2.2, levels A and AA
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa']

/** What keeps people out of a page as it is now: the rule that it breaks, and where. */
export async function findBarriers(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const run = `axe.run(document, { runOnly: ${JSON.stringify(tags)} })`
  const { violations }: axe.AxeResults = await page.evaluate(run)
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  )
}
