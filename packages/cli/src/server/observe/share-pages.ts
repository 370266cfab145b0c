import { setTimeout as sleep } from 'node:timers/promises'

/** How many times as long as it took to make a page none is made afterwards */
const restFactor = 9
/** The longest such rest, in milliseconds: what took longer has waited for the database. */
const maxRestMs = 200

/**
 * Makes pages for any number of readers in at most a tenth of the time: to make one occupies the event loop for
 * milliseconds. Who asks during the rest, or while a page is made, gets the next one, which all of them share.
 */
export function sharePages<Page>(make: () => Promise<Page>): () => Promise<Page> {
  let rest: Promise<unknown> = Promise.resolve()
  let next: Promise<Page> | undefined
  return () => {
    next ??= rest.then(() => {
      next = undefined
      const startedAt = performance.now()
      const page = make()
      const pause = () => {
        const restMs = restFactor * (performance.now() - startedAt)
        return sleep(Math.min(restMs, maxRestMs), undefined, { ref: false })
      }
      rest = page.then(pause, pause)
      return page
    })
    return next
  }
}
