import 'reflect-metadata'
import { clienteleRoutes } from '@clientele/express'
import { NestFactory } from '@nestjs/core'
import type { NestExpressApplication } from '@nestjs/platform-express'
import { AppModule } from './app-module.ts'
import { CLIENTELE } from './open-clientele.ts'

const app = await NestFactory.create<NestExpressApplication>(AppModule, { logger: ['error'] })
app.enableShutdownHooks()
app.use('/api/v1', clienteleRoutes(app.get(CLIENTELE))) // before Nest's own body parser

await app.listen(process.env.PORT ?? 3000, '127.0.0.1')
console.log(`Listening on ${await app.getUrl()}`)
