import { z } from 'zod'
import { opaqueTokenSchema } from '../../base/input/opaque-tokens.ts'
import { toWire } from '../../base/input/wire-names.ts'
import { rootPath } from '../../http/match-route.ts'
import { respondWithJson } from '../../http/render.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import { secondsSchema } from '../../http/wire-schemas.ts'
import { signingInTag } from '../sessions/routes.ts'
import { respondToSignIn, signInResponses } from '../sign-in/routes.ts'
import { codeLifeSeconds } from './code-life.ts'
import { codeLogInSchema, logInWithCode } from './log-in-with-code.ts'
import { mailSignInCode, mailSignInCodeSchema } from './mail-sign-in-code.ts'
import type { SignInCodesServices } from './services.ts'

const mailedSchema = z
  .object({
    data: z.object({ challenge: opaqueTokenSchema, expires_in: secondsSchema(codeLifeSeconds) }),
  })
  .meta({ id: 'MailedSignInCode' })

export function createSignInCodeRoutes(services: SignInCodesServices): Route[] {
  return [
    defineRoute({
      id: 'mailSignInCode',
      method: 'POST',
      path: `${rootPath}/auth/login/email`,
      summary:
        'E-mail a code and a token for a link that sign in, with the challenge of this response',
      tag: signingInTag,
      scope: 'tokens:issue',
      bodySchema: mailSignInCodeSchema,
      responses: {
        202: {
          description:
            'An e-mail is sent if a user has the address; the challenge stays with the page',
          schema: mailedSchema,
        },
      },
      errors: ['sign_in_method_disabled', 'mail_unavailable', 'rate_limited'],
      handle: async ({ call }, { body }) => {
        const data = await mailSignInCode(services, call, body)
        return respondWithJson(202, JSON.stringify({ data: toWire(data) }))
      },
    }),
    defineRoute({
      id: 'logInWithCode',
      method: 'POST',
      path: `${rootPath}/auth/login/email/confirm`,
      summary: 'Sign a user in with an e-mailed code, or the token of the link',
      tag: signingInTag,
      scope: 'tokens:issue',
      bodySchema: codeLogInSchema,
      asksHooks: true,
      responses: signInResponses,
      errors: [
        'challenge_invalid',
        'sign_in_code_invalid',
        'sign_in_method_disabled',
        'rate_limited',
      ],
      handle: async ({ call }, { body }) =>
        respondToSignIn(await logInWithCode(services, call, body)),
    }),
  ]
}
