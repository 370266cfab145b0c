import type { Target } from './attack.ts'
import { ask, listUsers } from './wait-for-events.ts'

/** Deactivates and activates users, so that a page of the account's revocations is as long as one may be. */
export async function addRevocations(target: Target): Promise<void> {
  const ids = await listUsers(target)
  for (let entries = 0; entries < 1_200; entries += ids.length) {
    const body = JSON.stringify({ is_active: (entries / ids.length) % 2 === 1 })
    await Promise.all(
      ids.map(async (id) => {
        const response = await ask(target, `/client/user/${id}`, { method: 'PATCH', body })
        if (!response.ok) throw new Error(`A change was refused: ${await response.text()}`)
        await response.arrayBuffer()
      }),
    )
  }
}
