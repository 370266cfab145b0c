import { type Clientele, createClientele, type Repository } from '@clientele/core'
import { postgres } from '@clientele/core/postgres'
import { sqlite } from '@clientele/core/sqlite'

export const benchSecret = 'a secret of the benchmark of thirty-two characters'

export function openRepository(url: string, directReads = false): Repository {
  return url.startsWith('postgres')
    ? postgres({ connectionString: url, directReads })
    : sqlite({ filename: url.replace('sqlite:', '') })
}

/** Opens Clientele on a database of the benchmark. Cheap hashes are for making test data only. */
export function openClientele(
  url: string,
  { cheapHashes = false, directReads = false } = {},
): Promise<Clientele> {
  return createClientele({
    repository: openRepository(url, directReads),
    secrets: [benchSecret],
    ...(cheapHashes ? { passwords: { hashing: { memoryKiB: 8, passes: 1 } } } : {}),
  })
}
