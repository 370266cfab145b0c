import type { Repository } from '@clientele/core'
import { postgres } from '@clientele/core/postgres'
import { sqlite } from '@clientele/core/sqlite'

/** Makes a repository on what `DATABASE_URL` takes. */
export function repositoryOf(url: string): Repository {
  return url.startsWith('sqlite:')
    ? sqlite({ filename: url.slice('sqlite:'.length) })
    : postgres({ connectionString: url })
}
