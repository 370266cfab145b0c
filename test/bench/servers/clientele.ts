// node servers/clientele.ts <express|fastify|koa> <database URL>
import { openClientele } from '../support/clientele.ts'
import { type Framework, serveClientele } from '../support/frameworks.ts'

const [framework = 'fastify', url = ''] = process.argv.slice(2)
console.log(await serveClientele(framework as Framework, await openClientele(url)))
process.on('SIGTERM', () => process.exit(0))
