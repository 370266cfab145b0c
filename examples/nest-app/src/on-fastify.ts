import 'reflect-metadata'
import { clienteleRoutes } from '@clientele/fastify'
import { NestFactory } from '@nestjs/core'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import { AppModule } from './app-module.ts'
import { CLIENTELE } from './open-clientele.ts'

const adapter = new FastifyAdapter()
const app = await NestFactory.create<NestFastifyApplication>(AppModule, adapter, {
  logger: ['error'],
})
app.enableShutdownHooks()
await app.register(clienteleRoutes(app.get(CLIENTELE)), { prefix: '/api/v1' })

await app.listen(process.env.PORT ?? 3000, '127.0.0.1')
console.log(`Listening on ${await app.getUrl()}`)
