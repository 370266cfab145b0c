import { z } from 'zod'
import { secretMark } from '../../base/input/secret-mark.ts'

const exampleCodes = [
  ...['7k3m-92xw-q4rt-v8bn', 'b5xd-0hqe-3wnz-m7ac', 't9rf-6ykj-p2sv-1g8h', 'e4nw-zc5m-8xqb-r0td'],
  ...['v1hs-k7pa-w6fy-2jec', 'q8gz-4tbn-d3mx-9rkw', 'm0cy-xe6h-5vsj-f1pt', 'a2wk-r9dq-7bzg-n4hc'],
  ...['s6pj-f3vx-t8me-0kyd', 'x7bt-1nrw-c5ga-z9qh'],
]

/** The recovery codes of a user, as answers have them */
export const recoveryCodesSchema = z
  .array(z.string().length(19).meta(secretMark))
  .length(10)
  .meta({ examples: [exampleCodes] })
