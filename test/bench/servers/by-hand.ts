// node servers/by-hand.ts <express|fastify|koa> <database URL>
import { routesByHand } from '../support/by-hand.ts'
import { type Framework, serveByHand } from '../support/frameworks.ts'

const [framework = 'fastify', url = ''] = process.argv.slice(2)
console.log(await serveByHand(framework as Framework, await routesByHand(url)))
process.on('SIGTERM', () => process.exit(0))
