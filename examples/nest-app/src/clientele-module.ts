import type { Clientele } from '@clientele/core'
import { Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common'
import { CLIENTELE, openClientele } from './open-clientele.ts'
import { UserGuard } from './user-guard.ts'

/** Gives every other module the Clientele (`@Inject(CLIENTELE)`) and the guard, and closes it with the application. */
@Global()
@Module({
  providers: [{ provide: CLIENTELE, useFactory: openClientele }, UserGuard],
  exports: [CLIENTELE, UserGuard],
})
export class ClienteleModule implements OnApplicationShutdown {
  readonly #clientele: Clientele

  constructor(@Inject(CLIENTELE) clientele: Clientele) {
    this.#clientele = clientele
  }

  onApplicationShutdown(): Promise<void> {
    return this.#clientele.close()
  }
}
