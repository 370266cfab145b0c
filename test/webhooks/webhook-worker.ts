// A process of its own that delivers: node webhook-worker.ts <url> <webhook timeout in seconds>
// Its clock runs as fast as ours, from where the tests' clock stands; it says `ready` on standard output.

import { createClientele } from '@clientele/core'
import { repositoryOf } from '../support/open-repository.ts'

const [url = '', offset = '0'] = process.argv.slice(2)
const clientele = await createClientele({
  repository: repositoryOf(url),
  secrets: ['a secret of the tests, 32 characters'],
  clock: () => Date.now() + Number(offset),
  webhooks: { deliver: true, allowPrivateAddresses: true },
})
process.on('SIGTERM', () => {
  void clientele.close().then(() => process.exit(0))
})
console.log('ready')
