import { createClientele } from '@clientele/core'
import { postgres } from '@clientele/core/postgres'

const { DATABASE_URL: connectionString = '', CLIENTELE_SECRET: secret = '' } = process.env
if (connectionString === '') throw new Error('Set DATABASE_URL in .env')

// A person with the secret and the database can sign tokens. Several processes on one database need the same secret.
export const clientele = await createClientele({
  repository: postgres({ connectionString }),
  secrets: [secret],
})
