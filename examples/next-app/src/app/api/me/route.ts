import { toWire } from '@clientele/core'
import { requireUser } from '@clientele/fetch'
import { openClientele } from '../../../clientele.ts'

export async function GET(request: Request): Promise<Response> {
  try {
    const { user } = await requireUser(await openClientele())(request)
    return Response.json(toWire(user))
  } catch (error) {
    if (error instanceof Response) return error // the guard throws the response
    throw error
  }
}
