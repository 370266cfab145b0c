import type { Gauges } from '../base/observe/gauges.ts'
import type { Services } from './create-services.ts'

/** Measures the load with one database query. */
export async function readGauges({
  repository,
  passwords,
  tasks,
  clock,
  logger,
}: Pick<Services, 'repository' | 'passwords' | 'tasks' | 'clock' | 'logger'>): Promise<Gauges> {
  const busy = { hashing: passwords.load, mails: tasks.load, pool: repository.storage.poolLoad?.() }
  const now = clock()
  const dueSince = await repository.webhooks.findDueSince(now).catch((error: unknown) => {
    logger.warn({ error }, 'The delay of webhook deliveries could not be read.')
    return undefined
  })
  return {
    ...busy,
    webhookLagSeconds:
      dueSince === undefined ? undefined : Math.max(0, now - (dueSince ?? now)) / 1000,
  }
}
