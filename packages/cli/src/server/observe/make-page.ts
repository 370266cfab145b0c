import type { Registry, RegistryContentType } from 'prom-client'
import type { LoopTime } from './loop-time.ts'

/** Makes the page of a registry, one metric after the other. */
export async function makePage(
  registry: Registry<RegistryContentType>,
  loopTime: LoopTime,
): Promise<string> {
  const texts: string[] = []
  for (const { name } of registry.getMetricsAsArray())
    texts.push(await loopTime.spend(() => registry.getSingleMetricAsString(name)))
  return `${texts.join('\n\n')}\n`
}
