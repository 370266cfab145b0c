import { setTimeout as sleep } from 'node:timers/promises'
import { LoopTime } from './loop-time.ts'

/** How many times as long as a page has occupied the event loop none is made afterwards */
const restFactor = 9

/**
 * Makes pages for any number of readers in at most a tenth of the time. Who asks during the rest, or while a page is made,
 * gets the next one, which all of them share.
 *
 * @param make counts for how long it occupies the event loop; a wait for the database is none
 */
export function sharePages<Page>(make: (loopTime: LoopTime) => Promise<Page>): () => Promise<Page> {
  let rest: Promise<unknown> = Promise.resolve()
  let next: Promise<Page> | undefined
  return () => {
    next ??= rest.then(() => {
      next = undefined
      const loopTime = new LoopTime()
      const page = make(loopTime)
      const pause = () => sleep(restFactor * loopTime.totalMs, undefined, { ref: false })
      rest = page.then(pause, pause)
      return page
    })
    return next
  }
}
