import type { Clientele } from '@clientele/core'
import {
  type BeforeApplicationShutdown,
  Global,
  Inject,
  Module,
  type OnApplicationShutdown,
} from '@nestjs/common'
import { CLIENTELE, openClientele } from './open-clientele.ts'
import { UserGuard } from './user-guard.ts'

/** Gives every other module the Clientele (`@Inject(CLIENTELE)`) and the guard, and closes it with the application. */
@Global()
@Module({
  providers: [{ provide: CLIENTELE, useFactory: openClientele }, UserGuard],
  exports: [CLIENTELE, UserGuard],
})
export class ClienteleModule implements BeforeApplicationShutdown, OnApplicationShutdown {
  readonly #clientele: Clientele

  constructor(@Inject(CLIENTELE) clientele: Clientele) {
    this.#clientele = clientele
  }

  /** Requests that wait for events are answered now: the server closes when all are. */
  beforeApplicationShutdown(): void {
    this.#clientele.stopWaiting()
  }

  onApplicationShutdown(): Promise<void> {
    return this.#clientele.close()
  }
}
