import type { Target } from './attack.ts'
import { holdKey } from './messages.ts'
import { signInToConsole } from './sign-in-to-console.ts'

const batches = 2
/** As many as a batch of the console has room for */
const usersOfBatch = 50
const metadata = { a: 'é"'.repeat(2_000) }

/** Adds a page of users to the attacking account who are as large as a user may be. */
export async function addLargeUsers(target: Target): Promise<void> {
  const cookie = await signInToConsole(target)
  for (let batch = 0; batch < batches; batch++) {
    const records = Array.from({ length: usersOfBatch }, (_, index) => {
      return { name: 'Large', email: `large${Date.now()}x${index}@example.com`, metadata }
    })
    const response = await fetch(`${target.base}/client/console/import`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'clientele-console': '1', cookie },
      body: JSON.stringify({ records }),
    })
    if (!response.ok) throw new Error(`No users were imported: ${await response.text()}`)
  }
}

/** A token of each */
export async function addTokensOfLargeUsers(target: Target): Promise<string[]> {
  await addLargeUsers(target)
  const { data = [] } = await ask(target, `?limit=${batches * usersOfBatch}&sort=-created_at`)
  const made = data.map(({ id }) => ask(target, `/${id}/token`, { name: 'Script' }))
  return (await Promise.all(made)).map(({ token }) => `Bearer ${token}`)
}

/** `path` stands below `/client/user`. */
async function ask(
  target: Target,
  path: string,
  body?: object,
): Promise<{ data?: { id: string }[]; token?: string }> {
  const response = await fetch(`${target.base}/client/user${path}`, {
    headers: { 'content-type': 'application/json', ...holdKey(target) },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${path} was refused: ${await response.text()}`)
  return (await response.json()) as { data?: { id: string }[]; token?: string }
}
