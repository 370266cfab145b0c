import { z } from 'zod'
import type { Call } from '../base/call/call.ts'
import { pathIdSchema } from '../base/input/id.ts'
import type { ScimUser } from '../capabilities/scim/scim-user.ts'
import {
  changeScimUser,
  createScimUser,
  findScimUser,
} from '../capabilities/scim/write-scim-user.ts'
import { deleteUser } from '../capabilities/users/delete-user.ts'
import { findUser } from '../capabilities/users/find-user.ts'
import { includesVersion, readExpectedVersion, readListedVersions } from '../http/entity-tag.ts'
import type { HttpRequest, HttpResponse } from '../http/message.ts'
import { respondWithoutBody } from '../http/render.ts'
import type { Route, RouteContext } from '../http/route.ts'
import { defineScimRoute, resourceBodySchema } from './define-scim-route.ts'
import { findGroupsOfUsers } from './groups-of-users.ts'
import { listQuerySchema, resourceQuerySchema } from './list-query.ts'
import { listUsers } from './list-users.ts'
import { patchDraft } from './patch/patch-user.ts'
import { readOperations } from './patch/read-operations.ts'
import { createProject, isWanted } from './project.ts'
import { readUser } from './read-user.ts'
import { findScimRoot, respondWithScim, toWeakTag } from './resource.ts'
import type { ScimRoutesServices } from './services.ts'
import { finishDraft, toDraft } from './user-draft.ts'
import { renderUser } from './user-resource.ts'

type Wanted = z.output<typeof resourceQuerySchema>

const pathSchema = z.object({ id: pathIdSchema('user_not_found') })

export function createScimUserRoutes(services: ScimRoutesServices): Route[] {
  async function respond(
    context: RouteContext,
    status: number,
    user: ScimUser,
    wanted: Wanted,
  ): Promise<HttpResponse> {
    const root = findScimRoot(services, context)
    const groupsOf = isWanted(wanted, 'groups')
      ? await findGroupsOfUsers(services, context.call, [user])
      : () => []
    const resource = createProject(wanted)(renderUser(root, user, groupsOf(user)))
    const created = status === 201 && { location: `${root}/Users/${user.user.id}` }
    return respondWithScim(status, resource, { etag: toWeakTag(user.version), ...created })
  }

  const readExpected = (call: Call, id: string, request: HttpRequest): Promise<number | null> =>
    readExpectedVersion(request, async () => (await findUser(services, call, id)).version)

  const path = '/Users/{id}'
  return [
    defineScimRoute({
      id: 'createScimUser',
      method: 'POST',
      path: '/Users',
      querySchema: resourceQuerySchema,
      bodySchema: resourceBodySchema,
      handle: async (context, { query, body }) => {
        const input = finishDraft(readUser(body))
        return respond(context, 201, await createScimUser(services, context.call, input), query)
      },
    }),
    defineScimRoute({
      id: 'listScimUsers',
      method: 'GET',
      path: '/Users',
      querySchema: listQuerySchema,
      handle: (context, { query }) => listUsers(services, context, query),
    }),
    defineScimRoute({
      id: 'findScimUser',
      method: 'GET',
      path,
      pathSchema,
      querySchema: resourceQuerySchema,
      handle: async (context, { path, query }) => {
        const known = readListedVersions(context.request, 'if-none-match')
        const found = await findScimUser(services, context.call, path.id)
        if (known !== undefined && includesVersion(known, found.version))
          return respondWithoutBody(304, { etag: toWeakTag(found.version) })
        return respond(context, 200, found, query)
      },
    }),
    defineScimRoute({
      id: 'replaceScimUser',
      method: 'PUT',
      path,
      pathSchema,
      querySchema: resourceQuerySchema,
      bodySchema: resourceBodySchema,
      handle: async (context, { path, query, body }) => {
        const { call, request } = context
        const expected = await readExpected(call, path.id, request)
        const changed = await changeScimUser(services, call, path.id, expected, (before) =>
          finishDraft(readUser(body, before), before),
        )
        return respond(context, 200, changed, query)
      },
    }),
    defineScimRoute({
      id: 'patchScimUser',
      method: 'PATCH',
      path,
      pathSchema,
      querySchema: resourceQuerySchema,
      bodySchema: resourceBodySchema,
      handle: async (context, { path, query, body }) => {
        const { call, request } = context
        const operations = readOperations(body)
        const expected = await readExpected(call, path.id, request)
        const changed = await changeScimUser(services, call, path.id, expected, (before) => {
          const draft = toDraft(before)
          for (const operation of operations) patchDraft(draft, operation)
          return finishDraft(draft, before)
        })
        return respond(context, 200, changed, query)
      },
    }),
    defineScimRoute({
      id: 'deleteScimUser',
      method: 'DELETE',
      path,
      pathSchema,
      handle: async ({ call, request }, { path }) => {
        const expected = await readExpected(call, path.id, request)
        await deleteUser(services, call, path.id, expected)
        return respondWithoutBody(204)
      },
    }),
  ]
}
