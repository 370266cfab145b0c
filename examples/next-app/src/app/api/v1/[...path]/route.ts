import { clienteleHandler } from '@clientele/fetch'
import { openClientele } from '../../../../clientele.ts'

async function answer(request: Request): Promise<Response> {
  const handler = clienteleHandler(await openClientele(), { prefix: '/api/v1' })
  return (await handler(request)) ?? new Response('Not found', { status: 404 })
}

export {
  answer as DELETE,
  answer as GET,
  answer as HEAD,
  answer as PATCH,
  answer as POST,
  answer as PUT,
}
