import { z } from 'zod'
import type { Call } from '../base/call/call.ts'
import { pathIdSchema } from '../base/input/id.ts'
import type { ScimGroup } from '../capabilities/scim/scim-group.ts'
import {
  changeScimGroup,
  createScimGroup,
  deleteScimGroup,
  findScimGroup,
} from '../capabilities/scim/write-scim-group.ts'
import { readExpectedVersion } from '../http/entity-tag.ts'
import type { HttpRequest, HttpResponse } from '../http/message.ts'
import { respondWithoutBody } from '../http/render.ts'
import type { Route, RouteContext } from '../http/route.ts'
import { defineScimRoute, resourceBodySchema } from './define-scim-route.ts'
import { finishGroupDraft, patchGroupDraft, readGroup, toGroupDraft } from './group-draft.ts'
import { listGroups } from './list-groups.ts'
import { listQuerySchema, resourceQuerySchema } from './list-query.ts'
import { readOperations } from './patch/read-operations.ts'
import { readInTurn } from './read-in-turn.ts'
import { renderWithMembers } from './render-groups.ts'
import { findScimRoot, respondWithScim, toWeakTag } from './resource.ts'
import type { ScimRoutesServices } from './services.ts'

/** A list of 4,000 members */
const maxBodyBytes = 512 * 1024

const pathSchema = z.object({ id: pathIdSchema('scim_group_not_found') })

export function createScimGroupRoutes(services: ScimRoutesServices): Route[] {
  async function respond(
    context: RouteContext,
    status: number,
    group: ScimGroup,
    wanted: z.output<typeof resourceQuerySchema>,
  ): Promise<HttpResponse> {
    const root = findScimRoot(services, context)
    const render = () => renderWithMembers(services, context, group, wanted)
    // As pages of a list: a group may have a thousand members.
    const read = await readInTurn(services, context.call, services.scimPages, render)
    const created = status === 201 && { location: `${root}/Groups/${group.id}` }
    const etag = toWeakTag(read.group.version)
    return respondWithScim(status, read.resource, { etag, ...created })
  }

  const readExpected = (call: Call, id: string, request: HttpRequest): Promise<number | null> =>
    readExpectedVersion(request, async () => (await findScimGroup(services, call, id)).version)

  const path = '/Groups/{id}'
  return [
    defineScimRoute({
      id: 'createScimGroup',
      method: 'POST',
      path: '/Groups',
      querySchema: resourceQuerySchema,
      bodySchema: resourceBodySchema,
      maxBodyBytes,
      hasItems: true,
      handle: async (context, { query, body }) => {
        const input = finishGroupDraft(readGroup(body))
        const group = await createScimGroup(services, context.call, input)
        return respond(context, 201, group, query)
      },
    }),
    defineScimRoute({
      id: 'listScimGroups',
      method: 'GET',
      path: '/Groups',
      querySchema: listQuerySchema,
      handle: (context, { query }) => listGroups(services, context, query),
    }),
    defineScimRoute({
      id: 'findScimGroup',
      method: 'GET',
      path,
      pathSchema,
      querySchema: resourceQuerySchema,
      handle: async (context, { path, query }) =>
        respond(context, 200, await findScimGroup(services, context.call, path.id), query),
    }),
    defineScimRoute({
      id: 'replaceScimGroup',
      method: 'PUT',
      path,
      pathSchema,
      querySchema: resourceQuerySchema,
      bodySchema: resourceBodySchema,
      maxBodyBytes,
      hasItems: true,
      handle: async (context, { path, query, body }) => {
        const { request } = context
        const call = context.call
        const expected = await readExpected(call, path.id, request)
        const changed = await changeScimGroup(services, call, path.id, expected, (before) =>
          finishGroupDraft(readGroup(body, before)),
        )
        return respond(context, 200, changed, query)
      },
    }),
    defineScimRoute({
      id: 'patchScimGroup',
      method: 'PATCH',
      path,
      pathSchema,
      querySchema: resourceQuerySchema,
      bodySchema: resourceBodySchema,
      maxBodyBytes,
      hasItems: true,
      handle: async (context, { path, query, body }) => {
        const { request } = context
        const call = context.call
        const operations = readOperations(body)
        const expected = await readExpected(call, path.id, request)
        const changed = await changeScimGroup(services, call, path.id, expected, (before) => {
          const draft = toGroupDraft(before)
          for (const operation of operations) patchGroupDraft(draft, operation)
          return finishGroupDraft(draft)
        })
        if (query.attributes !== undefined) return respond(context, 200, changed, query)
        // RFC 7644, section 3.5.2: a group may be large, and the caller knows what has changed.
        return respondWithoutBody(204, { etag: toWeakTag(changed.version) })
      },
    }),
    defineScimRoute({
      id: 'deleteScimGroup',
      method: 'DELETE',
      path,
      pathSchema,
      handle: async (context, { path }) => {
        const call = context.call
        const expected = await readExpected(call, path.id, context.request)
        await deleteScimGroup(services, call, path.id, expected)
        return respondWithoutBody(204)
      },
    }),
  ]
}
