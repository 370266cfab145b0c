import type { IncomingMessage } from 'node:http'
import { type Clientele, createGuard, type Guard } from '@clientele/core'
import {
  type CanActivate,
  type ExecutionContext,
  HttpException,
  Inject,
  Injectable,
} from '@nestjs/common'
import { CLIENTELE } from './open-clientele.ts'

/** Of Express, which is Node's own request, and of Fastify, which has Node's as `raw` */
type HostRequest = IncomingMessage & { raw?: IncomingMessage }

/** Admits requests with a valid token of a user, and puts the user on the request, as `requireUser` does. */
@Injectable()
export class UserGuard implements CanActivate {
  readonly #guard: Guard

  constructor(@Inject(CLIENTELE) clientele: Clientele) {
    this.#guard = createGuard(clientele)
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<HostRequest>()
    const result = await this.#guard(request.raw ?? request)
    if ('response' in result) {
      const { status, headers, body } = result.response
      const host = context
        .switchToHttp()
        .getResponse<{ header(name: string, value: unknown): void }>()
      for (const [name, value] of Object.entries(headers))
        if (name !== 'content-length') host.header(name, value)
      throw new HttpException(JSON.parse(String(body)), status)
    }
    Object.assign(request, result)
    return true
  }
}
