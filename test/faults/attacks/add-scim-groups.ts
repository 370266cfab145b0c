import type { Target } from './attack.ts'

/** As many as a user may have */
const rolesOfUser = 50
/** More than a list shows of a group */
const members = 1_002
const usersOfPage = 100

/** Adds a page of groups to the attacking account, each of more members than a list shows. */
export async function addLargeGroups(target: Target): Promise<void> {
  for (const set of ['a', 'b']) {
    const roles = Array.from({ length: rolesOfUser }, (_, index) => `large ${set}${index}`)
    await addUsers(target, `member${set}`, members, roles)
    await addGroups(target, roles)
  }
}

/** Adds a page of users to the attacking account, each of as many groups with as long names as there may be. */
export async function addUsersOfManyGroups(target: Target): Promise<void> {
  const roles = Array.from(
    { length: rolesOfUser },
    (_, index) => `${'\u{1F600}'.repeat(98)}${index + 10}`,
  )
  await addUsers(target, 'grouped', usersOfPage, roles)
  await addGroups(target, roles)
}

/** Users that an attempt before has added are skipped. */
async function addUsers(target: Target, name: string, count: number, roles: string[]) {
  const lines = Array.from(
    { length: count },
    (_, index) => `${JSON.stringify({ name, email: `${name}${index}@example.com`, roles })}\n`,
  )
  await post(
    `${target.base}/client/user/import?on_conflict=skip`,
    target.key,
    'application/x-ndjson',
    lines.join(''),
  )
}

async function addGroups({ base, scimKey }: Target, roles: string[]) {
  const schemas = ['urn:ietf:params:scim:schemas:core:2.0:Group']
  for (const displayName of roles) {
    const body = JSON.stringify({ schemas, displayName })
    await post(`${base}/scim/v2/Groups`, scimKey, 'application/scim+json', body)
  }
}

async function post(url: string, key: string, type: string, body: string) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': type }
  const response = await fetch(url, { method: 'POST', headers, body })
  // 409: it has been added before.
  if (!response.ok && response.status !== 409) throw new Error(await response.text())
}
