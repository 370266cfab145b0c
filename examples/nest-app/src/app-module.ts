import { type ClientUser, toWire, type Wire } from '@clientele/core'
import { Controller, Get, Module, Req } from '@nestjs/common'

@Controller('me')
class MeController {
  /** Behind `requireUser`, which puts the user on the request of Express and of Fastify alike. */
  @Get()
  readMe(@Req() request: { clientUser: ClientUser }): Wire<ClientUser> {
    return toWire(request.clientUser)
  }
}

@Module({ controllers: [MeController] })
export class AppModule {}
