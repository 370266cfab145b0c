import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { runsEveryTest } from '../support/slow-tests.ts'

/** How a user operates a page. */
export interface Hand {
  press(target: Locator): Promise<void>
  /** Writes a text in place of what stands there. */
  type(field: Locator, text: string): Promise<void>
  /** Chooses from a list by the words that stand there. */
  choose(list: Locator, choice: string): Promise<void>
  /** Ticks a box, or picks one of several. */
  tick(box: Locator): Promise<void>
}

export type HandName = 'pointer' | 'keyboard'
/** What the keyboard reaches, a pointer does, too: by default one is tried, both by `.ci/run`. */
export const handsTried: readonly HandName[] = runsEveryTest
  ? ['pointer', 'keyboard']
  : ['keyboard']

export function createHand(name: HandName, page: Page): Hand {
  return name === 'pointer' ? pointer : createKeyboard(page)
}

const pointer: Hand = {
  press: (target) => target.click(),
  type: (field, text) => field.fill(text),
  choose: async (list, choice) => {
    await list.selectOption({ label: choice })
  },
  tick: (box) => box.check(),
}

/** Nothing but keys: what Tab does not reach is out of reach. */
function createKeyboard(page: Page): Hand {
  const { keyboard } = page
  return {
    press: async (target) => {
      await tabTo(page, target)
      await keyboard.press('Enter')
    },
    type: async (field, text) => {
      await tabTo(page, field)
      await keyboard.press('ControlOrMeta+A')
      await keyboard.insertText(text)
    },
    choose: async (list, choice) => {
      await tabTo(page, list)
      // Typing goes to the choice that begins so.
      await keyboard.type(choice)
      expect(await list.locator('option:checked').textContent()).toBe(choice)
    },
    tick: async (box) => {
      await tabTo(page, box)
      if (!(await box.isChecked())) await keyboard.press('Space')
      expect(await box.isChecked()).toBe(true)
    },
  }
}

const mostTabs = 300

async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor()
  const reached = target.and(page.locator(':focus'))
  for (let tabs = 0; tabs < mostTabs; tabs++) {
    if ((await reached.count()) > 0) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`The keyboard does not get to ${target}.`)
}
