import { createClientele } from '@clientele/core'
import { sqlite } from '@clientele/core/sqlite'

export const clientele = await createClientele({
  repository: sqlite({ filename: process.env.DATABASE_FILE ?? 'data/users.sqlite' }),
})
