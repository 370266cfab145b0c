import { ada } from '../cases/case.ts'
import { type Answer, created } from '../support/answers.ts'
import type { Deviation } from './target.ts'

const mountings = ['parsed'] as const

/** JSON as all parsers of hosts refuse it. */
const malformed = [
  'a body of blanks',
  'a body that is cut off',
  'a body with something behind it',
  'a body in single quotes',
  'a body with a trailing comma',
  'NaN in a body',
  'a body with overlong UTF-8',
  'no key: the body’s faults stay unsaid',
]

/** What the host's body parser decides before the request is ours to see. */
export function hostParserDeviations(
  parser: 'body-parser' | 'co-body',
  headers: Record<string, string> = {},
): Deviation[] {
  const refused = (status: number): Answer => ({ status, headers, body: 'the host' })
  const common: Deviation[] = [
    { reason: 'The parser refuses it.', cases: malformed, mountings, answer: refused(400) },
    {
      reason: 'The parser takes objects and arrays only (`strict`).',
      cases: ['create: null', 'create: a string', 'create: a number'],
      mountings,
      answer: refused(400),
    },
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
        reason: 'The parser looks out for the name `__proto__` itself.',
        cases: ['create: __proto__ in metadata', 'create: __proto__ at the top'],
        mountings,
        answer: refused(400),
      },
      {
        reason: 'The parser fails to decompress what is not compressed.',
        cases: ['a body that is compressed in name'],
        mountings,
        answer: refused(500),
      },
    ]
  }
  return [
    ...common,
    {
      reason: 'The parser reads charsets that begin with utf- only, and says so itself.',
      cases: [
        'content type APPLICATION/JSON ; Charset=utf8',
        'content type application/json; charset=latin1',
      ],
      mountings,
      answer: refused(415),
    },
    {
      reason: 'The parser reads UTF-16, and this is none.',
      cases: ['content type application/json; charset=utf-16'],
      mountings,
      answer: refused(400),
    },
    {
      reason: 'The parser fails to decompress what is not compressed.',
      cases: ['a body that is compressed in name'],
      mountings,
      answer: refused(400),
    },
  ]
}
