import { problem } from '../support/answers.ts'
import type { Deviation } from './target.ts'

/** The path as `URL` normalises it before the handler sees it. */
export const normalizedPaths: readonly Deviation[] = [
  {
    reason: '`/./` in the path of a URL is `/`.',
    cases: ['no route: /client/user/./x'],
    answer: problem('user_not_found'),
  },
  {
    reason:
      '`%2e%2e` at the end of the path of a URL takes a segment off: what is left is the host’s.',
    cases: ['an id that is none: %2e%2e (6)'],
    answer: {
      status: 404,
      headers: { 'content-type': 'text/plain;charset=UTF-8' },
      body: 'nothing here',
    },
  },
]
