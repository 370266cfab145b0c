import { TimeSlice } from '../base/runtime/time-slice.ts'
import type { Resource } from './resource.ts'

/** How large the resources of one list are at most; it has one resource at least. */
const maxBytes = 1024 * 1024

/**
 * Renders the resources of a list in slices of time, and ends before the list would be too large: a list may have fewer
 * resources than the caller asks for (RFC 7644, section 3.4.2.4).
 */
export async function renderWithinBytes(resources: AsyncIterable<Resource>): Promise<string[]> {
  const slice = new TimeSlice()
  const texts: string[] = []
  let bytes = 0
  for await (const resource of resources) {
    const text = JSON.stringify(resource)
    bytes += Buffer.byteLength(text)
    if (bytes > maxBytes && texts.length > 0) break
    texts.push(text)
    if (slice.isOver) await slice.next()
  }
  // The next list of the account begins in a turn of its own.
  await slice.next()
  return texts
}
