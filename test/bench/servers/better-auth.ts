// node servers/better-auth.ts <database URL>
import { serveBetterAuth } from '../support/better-auth.ts'

console.log(await serveBetterAuth(process.argv[2] ?? ''))
process.on('SIGTERM', () => process.exit(0))
