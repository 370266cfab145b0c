import { type ClientUser, toWire, type Wire } from '@clientele/core'
import { Controller, Get, Module, Req, UseGuards } from '@nestjs/common'
import { ClienteleModule } from './clientele-module.ts'
import { UserGuard } from './user-guard.ts'

@Controller('me')
@UseGuards(UserGuard)
class MeController {
  @Get()
  readMe(@Req() request: { clientUser: ClientUser }): Wire<ClientUser> {
    return toWire(request.clientUser)
  }
}

@Module({ imports: [ClienteleModule], controllers: [MeController] })
export class AppModule {}
