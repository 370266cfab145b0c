import { createMarks } from '../hostile-calls.ts'
import type { Attack } from './attack.ts'
import { fillBody, postAs, signInAs } from './messages.ts'

/** What a user can send. */
export const userAttacks: readonly Attack[] = [
  {
    name: 'wrong passwords',
    from: 'user',
    what: 'sign-ins with unknown e-mails, on 64 connections',
    run: (ways, target) =>
      ways.repeat(64, (count) => signInAs(target, `user-${count}@example.com`, 'wrong password')),
  },
  {
    name: 'imported hashes',
    from: 'user',
    what: 'sign-ins of users whose imported hashes take 250 ms each, on 16 connections',
    run: (ways, target) =>
      ways.repeat(16, (count) =>
        signInAs(target, `dear${1 + (count % target.dearUsers)}@example.com`, 'wrong password'),
      ),
  },
  {
    name: 'texts',
    from: 'user',
    what: 'sign-ins with the marks that cost most to normalise, on 16 connections',
    run: (ways, target) =>
      ways.repeat(16, () => signInAs(target, createMarks(1_278), createMarks(3_998))),
  },
  {
    name: 'tokens',
    from: 'user',
    what: 'tokens of 60 KB with 5,400 arrays in arrays, on 16 connections',
    run: (ways, target) => {
      const payload = fillBody(`{"a":${'['.repeat(5_400)}${']'.repeat(5_400)}`, ' ', '}', 45_000)
      const token = `Bearer e30.${Buffer.from(payload).toString('base64url')}.AA`
      const body = JSON.stringify({ token })
      return ways.repeat(16, () => postAs(target, '/auth/validation-token', body))
    },
  },
  {
    name: 'sessions',
    from: 'user',
    what: 'sign-ins with the right password, one after the other, on 4 connections',
    run: (ways, target) => ways.repeat(4, () => signInAs(target, 'ada@example.com', 'password')),
  },
]
