// Compiled, never run: what a backend's code may say of the client, and what the compiler must refuse.

import { type Client, type ClientUser, createClient, dataOf, type Problem } from '@clientele/client'

export async function mayCompile(client: Client, id: string): Promise<ClientUser | undefined> {
  createClient({ baseUrl: 'https://api.example.com', apiKey: 'cu_live_…', retry: { count: 0 } })
  const { data, problem, response } = await client.createUser(
    { name: 'Ada', email: 'ada@example.com', password: 'secret', roles: undefined },
    { 'Idempotency-Key': 'one' },
  )
  // Every code is known: nothing is left over.
  if (problem === undefined) return data.created_at === '' ? undefined : data
  switch (problem.code) {
    case 'email_taken':
    case 'idempotency_in_progress':
    case 'idempotency_key_reused':
      return undefined
    case 'no_answer':
    case 'timed_out':
      return response satisfies Response | undefined as undefined // there is none
    case 'validation_failed':
      throw new Error(problem.errors?.[0]?.pointer)
    case 'header_repeated':
    case 'header_invalid':
    case 'malformed_json':
    case 'media_type_unsupported':
    case 'body_too_large':
    case 'api_key_missing':
    case 'api_key_invalid':
    case 'scope_insufficient':
    case 'internal_error':
    case 'refused_by_hook':
    case 'hook_failed':
    case 'hook_unavailable':
    case 'storage_unavailable':
    case 'overloaded':
    case 'unexpected_answer':
    case 'route_not_found':
    case 'method_not_allowed':
      break
    default:
      problem.code satisfies never
  }
  const signedIn = dataOf(await client.logIn({ email: 'ada@example.com', password: 'secret' }))
  const challenge = signedIn.success_code === 202 ? signedIn.data.challenge : signedIn.user.id
  const unchanged = await client.findUser(challenge, { 'If-None-Match': '"3"' })
  const known: ClientUser | undefined = dataOf(unchanged)
  for await (const user of client.iterateUsers({ is_active: true })) return user
  for await (const feed of client.followEvents({ after: 'x' })) feed.data satisfies object[]
  const any: Problem | undefined = (await client.deleteUser(id, { 'If-Match': '*' })).problem
  return any === undefined ? known : undefined
}

export async function mustNotCompile(client: Client): Promise<void> {
  // @ts-expect-error an API key is needed
  createClient({ baseUrl: 'https://api.example.com' })
  // @ts-expect-error an e-mail is needed
  await client.createUser({ name: 'Ada', password: 'secret' })
  // @ts-expect-error there is no such member
  await client.patchUser('id', { isActive: true })
  // @ts-expect-error there is no such order
  await client.listUsers({ sort: 'age' })
  // @ts-expect-error deleting asks for no idempotency key
  await client.deleteUser('id', { 'Idempotency-Key': 'one' })
  const found = await client.findUser('id')
  // @ts-expect-error it may be a problem
  found.data.id
  // @ts-expect-error reading a user cannot find its e-mail taken
  if (found.problem?.code === 'email_taken') return
  // @ts-expect-error with a condition there may be no data
  dataOf(await client.findUser('id', { 'If-None-Match': '"3"' })).id
  if (found.problem === undefined) {
    // @ts-expect-error a user has no password, and no hash
    found.data.password
  }
}
