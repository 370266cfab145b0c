import type { Answer } from '../support/answers.ts'
import { requestId } from '../support/send.ts'
import type { Call, World } from '../support/world.ts'
import { absentId, type Case, flow } from './case.ts'

const root = '/scim/v2'
const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User'
const type = ['content-type', 'application/scim+json; charset=utf-8']
const fields = { 'cache-control': 'no-store', ...requestId }

/** Requests of an identity provider: with a key of its own, and in the media type of SCIM. */
async function openProvider(world: World) {
  const { apiKey: key } = await world.clientele.apiKeys.create(world.account.id, {
    scopes: ['scim'],
  })
  return (method: string, path: string, body?: object): Call => ({
    method,
    key,
    path: root + path,
    ...(body !== undefined && { body: JSON.stringify(body), headers: type }),
  })
}

function resource(status: number, body: RegExp, headers: Record<string, string> = {}): Answer {
  return {
    status,
    headers: { 'content-type': 'application/scim+json', ...fields, ...headers },
    body,
  }
}

function refused(status: number, scimType: string | undefined, detail: string): Answer {
  const error = {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: String(status),
    scimType,
    detail,
  }
  const challenge = status === 401 ? { 'www-authenticate': 'Bearer' } : {}
  return {
    status,
    headers: { 'content-type': 'application/scim+json', ...fields, ...challenge },
    body: JSON.stringify(error),
  }
}

const noContent = (headers: Record<string, string> = {}): Answer => ({
  status: 204,
  headers: { ...fields, ...headers },
  body: '',
})

export const scimCases: readonly Case[] = [
  flow('scim: a user is created, found, changed and deleted', async (world) => {
    const ask = await openProvider(world)
    const ada = {
      schemas: [userSchema],
      userName: 'Ada@example.com',
      externalId: 'e-1',
      name: { givenName: 'Ada', familyName: 'Lovelace' },
      active: true,
    }
    const { body } = await world.send(ask('POST', '/Users', ada))
    const { id } = JSON.parse(body)
    const path = `/Users/${id}`
    const etag = (version: number) => ({ etag: `W/"${version}"` })
    await world.check(ask('GET', path), resource(200, /"userName":"Ada@example.com"/, etag(1)))
    await world.check(
      ask('POST', '/Users', ada),
      refused(409, 'uniqueness', 'Another user of this account has this e-mail address.'),
    )
    await world.check(
      ask('GET', '/Users?filter=userName%20eq%20%22ada%40example.com%22&startIndex=1&count=100'),
      resource(200, /"totalResults":1,"itemsPerPage":1,"startIndex":1,"Resources":\[\{/),
    )
    const off = { Operations: [{ op: 'Replace', path: 'active', value: 'False' }] }
    await world.check(ask('PATCH', path, off), resource(200, /"active":false/, etag(2)))
    await world.check(
      ask('PUT', path, { ...ada, displayName: 'Ada King' }),
      resource(200, /"displayName":"Ada King","emails":\[.*"active":true/, etag(3)),
    )
    await world.check(ask('DELETE', path), noContent())
    await world.check(ask('GET', path), refused(404, undefined, 'No such user.'))
  }),
  flow('scim: a group gives its members a role', async (world) => {
    const ask = await openProvider(world)
    const user = await world.createUser()
    const { body } = await world.send(ask('POST', '/Groups', { displayName: 'staff' }))
    const path = `/Groups/${JSON.parse(body).id}`
    const change = (op: string, more: object) =>
      ask('PATCH', path, { Operations: [{ op, ...more }] })
    const members = { path: 'members', value: [{ value: user.id }] }
    await world.check(change('add', members), noContent({ etag: 'W/"1"' }))
    await world.check(
      ask('GET', `${path}?excludedAttributes=meta`),
      resource(200, new RegExp(`"members":\\[\\{"value":"${user.id}"`), { etag: 'W/"1"' }),
    )
    await world.check(
      ask('GET', `/Users/${user.id}`),
      resource(200, /"display":"staff"/, { etag: 'W/"2"' }),
    )
    await world.check(ask('DELETE', path), noContent())
    await world.check(ask('GET', '/Groups'), resource(200, /"totalResults":0/))
  }),
  flow('scim: errors are those of RFC 7644, on every path', async (world) => {
    const ask = await openProvider(world)
    const absent = refused(404, undefined, 'No such user.')
    await world.check(ask('GET', `/Users/${absentId}`), absent)
    await world.check(ask('GET', '/Users/x'), absent)
    await world.check(ask('GET', '/Nothing'), refused(404, undefined, 'No such route.'))
    await world.check(ask('GET', ''), refused(404, undefined, 'No such route.'))
    await world.check(
      ask('POST', '/Bulk', {}),
      refused(501, undefined, 'Bulk operations are not offered: send one request for each.'),
    )
    await world.check(
      { path: `${root}/Users` },
      refused(403, undefined, 'The API key lacks the scope scim, which this operation needs.'),
    )
    await world.check(
      { path: `${root}/Users`, key: null },
      refused(401, undefined, 'Send an API key: Authorization: Bearer <API_KEY>.'),
    )
    await world.check(
      ask('GET', '/Users?filter=userName'),
      refused(400, 'invalidFilter', 'Filters support the operators eq, ne, co, sw, ew, pr.'),
    )
    await world.check(
      { ...ask('POST', '/Users'), headers: ['content-type', 'text/plain'], body: '{}' },
      refused(
        415,
        undefined,
        'Send the body as application/scim+json in UTF-8, without a content encoding.',
      ),
    )
  }),
]
