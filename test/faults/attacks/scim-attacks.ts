import { addLargeGroups, addUsersOfManyGroups } from './add-scim-groups.ts'
import type { Attack, Target } from './attack.ts'
import { fillBody, holdKey, toUserId } from './messages.ts'
import type { Message } from './ways.ts'

/** Of more, several requests wait longer for each other than the kit attacks. */
const members = 500
/** As many as a filter may have */
const comparisons = 50
/** As many as a PATCH may have */
const operations = 1_000
/** Just under what a request for a group may have */
const groupBytes = 510_000

const longFilter = Array.from(
  { length: comparisons },
  (_, index) => `userName co "z${index}"`,
).join(' or ')
const deepFilter = `${'('.repeat(10)}${'not ('.repeat(390)}userName co "z"`

/** What an identity provider sends, as much of it as there may be. */
export const scimAttacks: readonly Attack[] = [
  {
    name: 'long filters of SCIM',
    from: "key's holder",
    what: '50 comparisons without an index, over 100,000 users, on 24 connections',
    run: (ways, target) => ways.repeat(24, () => search(target, longFilter)),
  },
  {
    name: 'deep filters of SCIM',
    from: "key's holder",
    what: '400 brackets in brackets, on 24 connections',
    run: (ways, target) => ways.repeat(24, () => search(target, deepFilter)),
  },
  {
    name: 'deep PATCH of SCIM',
    from: "key's holder",
    what: 'a value of 10,000 objects in objects, on 16 connections',
    run: (ways, target) => {
      const value = `${'{"a":'.repeat(9_000)}0${'}'.repeat(9_000)}`
      return ways.repeat(16, () => patchUser(target, `{"op":"add","value":${value}}`))
    },
  },
  {
    name: 'long PATCH of SCIM',
    from: "key's holder",
    what: '1,000 operations, on 16 connections',
    run: (ways, target) => {
      const some = Array.from(
        { length: operations },
        (_, index) => `{"op":"replace","path":"displayName","value":"Ada ${index}"}`,
      )
      return ways.repeat(16, () => patchUser(target, some.join(',')))
    },
  },
  {
    name: 'many values of SCIM',
    from: "key's holder",
    what: 'users of 64 KiB with as many addresses as there is room for, on 16 connections',
    run: (ways, target) => {
      const body = fillBody(
        '{"schemas":["urn:ietf:params:scim:schemas:core:2.0:User"],"userName":"a@example.com","emails":[{}',
        ',{}',
        ']}',
      )
      return ways.repeat(16, () => send(target, 'POST', '/Users', body))
    },
  },
  {
    name: 'many values in a group of SCIM',
    from: "key's holder",
    what: 'groups of 500 KB with as many members as there is room for, on 16 connections',
    run: (ways, target) => {
      const body = fillBody(`${groupHead}{}`, ',{}', ']}', groupBytes)
      return ways.repeat(16, () => send(target, 'POST', '/Groups', body))
    },
  },
  {
    name: 'lists of large groups of SCIM',
    from: "key's holder",
    what: 'of 100 groups of 1,002 users each, on 24 connections',
    run: async (ways, target) => {
      await addLargeGroups(target)
      return ways.repeat(24, () => send(target, 'GET', '/Groups?count=100'))
    },
  },
  {
    name: 'lists of users of SCIM in many groups',
    from: "key's holder",
    what: 'of 100 users with 50 groups each, whose names are as long as they may be, on 16 connections',
    run: async (ways, target) => {
      await addUsersOfManyGroups(target)
      return ways.repeat(16, () =>
        send(target, 'GET', '/Users?count=100&sortBy=meta.created&sortOrder=descending'),
      )
    },
  },
  {
    name: 'many members of SCIM',
    from: "key's holder",
    what: 'groups of the same 500 users, on 4 connections',
    run: (ways, target) => {
      const given = Array.from(
        { length: members },
        (_, index) => `{"value":"${toUserId(index + 1)}"}`,
      )
      const begun = Date.now()
      return ways.repeat(4, (count) => {
        const head = groupHead.replace('All', `All ${begun} ${count}`)
        return send(target, 'POST', '/Groups', `${head}${given.join(',')}]}`)
      })
    },
  },
]

const groupHead =
  '{"schemas":["urn:ietf:params:scim:schemas:core:2.0:Group"],"displayName":"All","members":['

function search(target: Target, filter: string): Message {
  return send(target, 'GET', `/Users?filter=${encodeURIComponent(filter)}`)
}

function patchUser(target: Target, some: string): Message {
  const schema = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
  const body = `{"schemas":["${schema}"],"Operations":[${some}]}`
  // Not the user who signs in: a first change by SCIM ends its password.
  return send(target, 'PATCH', `/Users/${toUserId(99_995)}`, body)
}

function send(target: Target, method: string, path: string, body?: string): Message {
  const headers = { ...holdKey({ key: target.scimKey }), 'Content-Type': 'application/scim+json' }
  return { line: `${method} /scim/v2${path}`, headers, ...(body !== undefined && { body }) }
}
