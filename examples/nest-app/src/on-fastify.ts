import 'reflect-metadata'
import { clienteleRoutes, requireUser } from '@clientele/fastify'
import { NestFactory } from '@nestjs/core'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import { AppModule } from './app-module.ts'
import { openClientele } from './open-clientele.ts'

const clientele = await openClientele()
const adapter = new FastifyAdapter()
const app = await NestFactory.create<NestFastifyApplication>(AppModule, adapter, {
  logger: ['error'],
})
await app.register(clienteleRoutes(clientele), { prefix: '/api/v1' })
const guard = requireUser(clientele)
adapter.getInstance().addHook('onRequest', async (request, reply) => {
  if (request.routeOptions.url === '/me') return guard(request, reply)
})

await app.listen(process.env.PORT ?? 3000, '127.0.0.1')
console.log(`Listening on ${await app.getUrl()}`)
