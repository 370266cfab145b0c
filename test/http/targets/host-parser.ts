import { ada } from '../cases/case.ts'
import { created, invalid, problem } from '../support/answers.ts'
import type { Deviation } from './target.ts'

const mountings = ['parsed'] as const

/** What the host's body parser decides before the request is ours to see. */
export function hostParserDeviations(parser: 'body-parser' | 'co-body'): Deviation[] {
  const common: Deviation[] = [
    {
      reason: 'The parser takes the byte order mark off, which RFC 8259 allows.',
      cases: ['a byte order mark'],
      mountings,
      answer: created(ada),
    },
    {
      reason: 'The parser puts U+FFFD for what is not UTF-8: the bytes are gone when we see it.',
      cases: ['a body that is not UTF-8'],
      mountings,
      answer: created({ ...ada, name: 'Ada L\ufffdvelace' }),
    },
  ]
  if (parser === 'co-body') {
    return [
      ...common,
      {
        reason:
          'The parser takes objects and arrays only (`strict`), and its error leaves no body: others are no JSON.',
        cases: ['create: null', 'create: a string', 'create: a number'],
        mountings,
        answer: problem('malformed_json'),
      },
      {
        reason: 'The parser looks out for the name `__proto__` itself.',
        cases: ['create: __proto__ in metadata', 'create: __proto__ at the top'],
        mountings,
        answer: problem('malformed_json'),
      },
    ]
  }
  return [
    ...common,
    {
      reason: 'The same: a string is left.',
      cases: ['a body with overlong UTF-8'],
      mountings,
      answer: invalid(['', 'type', 'must be an object']),
    },
    {
      reason: 'The parser takes forms of at most 1,000 fields.',
      cases: ['introspection: a form of 2,000 fields'],
      mountings,
      answer: problem('body_too_large', {
        detail: 'The body parser before the routes refuses a body of this size.',
      }),
    },
    {
      reason: 'The parser reads charsets that begin with utf- only.',
      cases: ['content type APPLICATION/JSON ; Charset=utf8'],
      mountings,
      answer: problem('media_type_unsupported'),
    },
  ]
}
