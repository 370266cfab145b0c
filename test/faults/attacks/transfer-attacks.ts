import type { Attack, Target } from './attack.ts'
import { fillBody, get, holdKey } from './messages.ts'
import type { Message } from './ways.ts'

const exported = '/client/user/export'
const linesAtOnce = 500

/** Imports and exports over HTTP: all users of an account, a line each. */
export const transferAttacks: readonly Attack[] = [
  // First: an import holds its account's place for seconds after its caller is gone.
  {
    name: 'exports, many at once',
    from: "key's holder",
    what: 'of 100,000 users, on 64 connections',
    run: (ways, target) => ways.repeat(64, () => get(exported, target)),
  },
  {
    name: 'unread exports',
    from: "key's holder",
    what: '50 exports on each of 60 connections that read nothing',
    run: (ways, target) => ways.leaveUnread(60, 50, () => get(exported, target)),
  },
  {
    name: 'slow imports',
    from: "key's holder",
    what: 'imports of which a byte comes every 50 ms, on 200 connections',
    run: (ways, target) => ways.trickle(200, () => importLines(target, lineOf(1, 1).repeat(500))),
  },
  {
    name: 'imports by lines, many at once',
    from: "key's holder",
    what: '500 new users each, on 64 connections',
    run: (ways, target) =>
      ways.repeat(64, (count) => {
        const lines = Array.from({ length: linesAtOnce }, (_, index) => lineOf(count, index))
        return importLines(target, lines.join(''))
      }),
  },
  {
    name: 'deep lines',
    from: "key's holder",
    what: 'imports of 640 KB, of lines with 10,000 objects in objects, on 16 connections',
    run: (ways, target) => {
      const line = `${'{"a":'.repeat(10_000)}0${'}'.repeat(10_000)}\n`
      return ways.repeat(16, () => importLines(target, line.repeat(10)))
    },
  },
  {
    name: 'lines of many values',
    from: "key's holder",
    what: 'imports of 650 KB, of lines with 4,900 values that are wrong, on 16 connections',
    run: (ways, target) => {
      const line = `{"roles":[0${',0'.repeat(4_900)}]}\n`
      return ways.repeat(16, () => importLines(target, line.repeat(66)))
    },
  },
  {
    name: 'empty lines',
    from: "key's holder",
    what: 'imports of a mebibyte of line feeds, on 16 connections',
    run: (ways, target) => ways.repeat(16, () => importLines(target, '\n'.repeat(1_000_000))),
  },
  {
    name: 'a long line',
    from: "key's holder",
    what: 'imports of a mebibyte without a line feed, on 16 connections',
    run: (ways, target) => {
      const body = fillBody('{"name":"', 'a', '"}', 1_000_000)
      return ways.repeat(16, () => importLines(target, body))
    },
  },
]

function lineOf(count: number, index: number): string {
  const email = `line${Date.now()}x${count}x${index}@example.com`
  return `${JSON.stringify({ name: `User ${count} ${index}`, email })}\n`
}

function importLines(target: Target, body: string): Message {
  const headers = { ...holdKey(target), 'Content-Type': 'application/x-ndjson' }
  return { line: 'POST /client/user/import?on_error=skip', headers, body }
}
