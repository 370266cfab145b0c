import 'reflect-metadata'
import { clienteleRoutes, requireUser } from '@clientele/express'
import { NestFactory } from '@nestjs/core'
import type { NestExpressApplication } from '@nestjs/platform-express'
import { AppModule } from './app-module.ts'
import { openClientele } from './open-clientele.ts'

const clientele = await openClientele()
const app = await NestFactory.create<NestExpressApplication>(AppModule, { logger: ['error'] })
app.use('/api/v1', clienteleRoutes(clientele)) // before Nest's own body parser
app.use('/me', requireUser(clientele))

await app.listen(process.env.PORT ?? 3000, '127.0.0.1')
console.log(`Listening on ${await app.getUrl()}`)
