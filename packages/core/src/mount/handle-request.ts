import { type Call, system } from '../base/call/call.ts'
import type { TokenSubject } from '../base/call/token-subject.ts'
import { ClienteleError } from '../base/errors.ts'
import { namesOf } from '../base/input/names-of.ts'
import { readHookContext } from '../http/hook-context.ts'
import { readIdempotencyKey } from '../http/idempotency-key.ts'
import { isCallerGone } from '../http/is-caller-gone.ts'
import { admittedMs, createAdmission } from '../http/keep-admitted.ts'
import { createMatcher, createRootMatcher, methodNotAllowed } from '../http/match-route.ts'
import type { BodyLines, HttpRequest, HttpResponse } from '../http/message.ts'
import { parseQuery } from '../http/parse-query.ts'
import { openLines } from '../http/read-lines.ts'
import { complete } from '../http/render.ts'
import { type RenderError, renderError } from '../http/render-error.ts'
import { readRequestId } from '../http/request-id.ts'
import { mayWrite, type Route, takesIdempotencyKey } from '../http/route.ts'
import { freshMs, type SubjectState } from '../user-model/subject-state.ts'
import { authenticate } from './authenticate.ts'
import { KnownBodies, textOfBody } from './known-bodies.ts'
import { logBreak } from './log-break.ts'
import { noteSize } from './note-size.ts'
import {
  describeRequest,
  observeAround,
  type RequestTrail,
  startRequest,
} from './observe-request.ts'
import { mayCheckQuickBody } from './quick-bodies.ts'
import { readInput } from './read-input.ts'
import {
  bytesOf,
  type CheckedBody,
  checkReceived,
  isLarge,
  isQuick,
  itemsOf,
  mostBytesOf,
  type Received,
  receive,
} from './receive-body.ts'
import type { MountServices } from './services.ts'
import { waitAsStranger } from './wait-as-stranger.ts'
import { usualEntriesOf, weighRequest } from './weigh-request.ts'

/**
 * Answers a request; undefined when its path is not ours, so that the host handles it. Never rejects.
 *
 * @param admit authenticates the caller of every route, public ones too, instead of the API key
 */
export type RequestHandler = (
  request: HttpRequest,
  admit?: Admit,
) => Promise<HttpResponse | undefined>

/** A request before its caller is authenticated. */
export interface AboutRequest {
  requestId: string
  route: Route
  /** The subject that the request names, by its route's `subjectOf` */
  subject: TokenSubject | undefined
}

/** Authenticates the caller and reads the subject that the request names. Throws when it refuses the request. */
export type Admit = (about: AboutRequest) => Promise<Caller>

/** The caller, and the subject that the request names */
interface Caller {
  call: Call
  subject: SubjectState | undefined
}

/** A body that was read before its caller is authenticated, because it is small */
interface Early {
  received: Received
  isSmall: boolean
}

/** A request whose caller is authenticated. */
interface Admitted extends Caller {
  request: HttpRequest
  route: Route
  parameters: Record<string, string>
  query: string
  body: CheckedBody
  readmit: () => Promise<unknown>
  lines: BodyLines | undefined
}

/** @param render makes the responses of errors. By default they are problem details */
export function createRequestHandler(
  services: MountServices,
  routes: readonly Route[],
  render: RenderError = renderError,
): RequestHandler {
  const { observation, accountRequests, loopTurns, readmittedTurns, writeTurns } = services
  const match = createMatcher(routes)
  const isBelowRoot = createRootMatcher(routes)
  const queryNames = new Map(routes.map((route) => [route, new Set(namesOf(route.querySchema))]))
  const knownBodies = new Map(routes.map((route) => [route, new KnownBodies()]))
  const usualEntries = new Map(routes.map((route) => [route, usualEntriesOf(route)]))

  /** The steps that remain after authentication. */
  async function answerCaller({
    request,
    route,
    parameters,
    query,
    body,
    call,
    subject,
    readmit,
    lines,
  }: Admitted) {
    if ('fault' in body) throw body.fault
    // Public documents have no parameters, but caches and browsers may add some.
    const isDocument = route.scope === undefined && route.querySchema === undefined
    const names = queryNames.get(route) ?? new Set()
    const sent = parseQuery(isDocument ? '' : query, names, route.ignoresUnknownQuery)
    const input = readInput(route, parameters, sent, body)
    const hookContext = route.asksHooks ? readHookContext(request) : undefined
    const told = hookContext === undefined ? call : { ...call, hookContext }
    const key = takesIdempotencyKey(route) ? readIdempotencyKey(request) : undefined
    const idempotency = key === undefined ? undefined : { key, isReplayed: false }
    const asked = idempotency === undefined ? told : { ...told, idempotency }
    const response = await route.handle({ call: asked, request, subject, readmit, lines }, input)
    if (idempotency?.isReplayed === true) response.headers['idempotent-replayed'] = 'true'
    noteSize(request, call.accountId, response)
    return response
  }

  async function answer(
    request: HttpRequest,
    requestId: string,
    route: Route,
    parameters: Record<string, string>,
    query: string,
    trail: RequestTrail,
    admit: Admit | undefined,
  ) {
    const { scope, acceptsBasic, subjectOf } = route
    const findCaller = (subject: TokenSubject | undefined): Promise<Caller> => {
      if (admit !== undefined) return admit({ requestId, route, subject })
      if (scope !== undefined)
        return authenticate(services, request, { requestId, scope, acceptsBasic, subject })
      const call = { accountId: '', actor: system, requestId, clientAddress: undefined }
      return Promise.resolve({ call, subject: undefined })
    }
    const identify = async (subject?: TokenSubject): Promise<Caller> => {
      const caller = await findCaller(subject)
      const { accountId, actor } = caller.call
      trail.isAdmitted = actor !== system
      if (accountId !== '') trail.accountId = accountId
      return caller
    }
    const perform = (
      caller: Caller,
      body: CheckedBody,
      readmit: () => Promise<unknown> = identify,
      lines?: BodyLines,
    ) => answerCaller({ request, route, parameters, query, body, readmit, lines, ...caller })
    const isGone = () => isCallerGone(request)
    let early: Early | undefined
    if (subjectOf !== undefined && !isLarge(request)) {
      const received = await receive(request, route)
      const text = textOfBody(received)
      const known = knownBodies.get(route)?.find(text)
      const isSmall = known !== undefined || isQuick(received, route)
      early = { received, isSmall }
      if (known !== undefined || (isSmall && mayCheckQuickBody())) {
        // The subject is looked up together with the key.
        const body = known ?? checkReceived(received, route)
        const named = 'data' in body ? subjectOf(body.data) : undefined
        const caller = await identify(named)
        const identifiedAt = performance.now()
        const { accountId } = caller.call
        const answered = await loopTurns.run({ accountId, weight: 1, isGone }, (waitedMs) =>
          waitedMs < freshMs
            ? perform(caller, body)
            : identify(named).then((again) => perform(again, body)),
        )
        // An issuer's keys may have been read meanwhile.
        if (performance.now() - identifiedAt > admittedMs) await identify()
        if (known === undefined) knownBodies.get(route)?.keep(text, body)
        return answered
      }
    }
    // A body is read only after authentication, and parsed in the account's turn: many that end at the same moment
    // would otherwise be parsed one after the other.
    const answerIdentified = async (caller: Caller, early: Early | undefined) => {
      const { isLate, stay, readmit } = createAdmission(identify)
      const admitted = (again: Caller): Caller => ({
        ...again,
        call: { ...again.call, stayAdmitted: stay, isGone },
      })
      const { accountId } = caller.call
      if (route.takesLines !== undefined) {
        const lines = openLines(request, route, isGone)
        return loopTurns.run({ accountId, weight: 1, isGone }, () =>
          perform(admitted(caller), { data: undefined }, readmit, lines),
        )
      }
      const read = async (shrinkTo?: (bytes: number) => void) => {
        const { received } = early ?? { received: await receive(request, route) }
        const size = bytesOf(request, route, received)
        shrinkTo?.(size)
        const entries = itemsOf(route, received) || (usualEntries.get(route) ?? 0)
        const turn = { accountId, weight: weighRequest(size, query, entries), isGone }
        let present = caller
        const answerInTurn = async (): Promise<HttpResponse> => {
          // Its body may have come slowly, and it may have waited. The rest takes time, so it has a turn of its own, which
          // comes soon: behind the same busy database it would be late again, and again.
          if (isLate()) {
            present = await readmit()
            return readmittedTurns.run(turn, answerInTurn)
          }
          const body = checkReceived(received, route, present.call)
          const subject = 'data' in body ? subjectOf?.(body.data) : undefined
          const known = subject === undefined ? present : await identify(subject)
          const response = await perform(admitted(known), body, readmit)
          // What writes asks by itself, as a feed does.
          if (!mayWrite(route) && route.readmits !== true) await stay()
          return response
        }
        const begin = () => loopTurns.run(turn, answerInTurn)
        if (!mayWrite(route)) return begin()
        return writeTurns.run({ accountId, isGone, isStranger: !trail.isAdmitted }, begin)
      }
      const bytes = route.bodySchema === undefined ? 0 : mostBytesOf(request, route)
      // Unauthenticated callers belong to no account, and a small body has come already.
      if (bytes === 0 || accountId === '' || early?.isSmall === true) return read()
      return services.bodyRoom.hold({ accountId, bytes, isGone }, read)
    }
    const caller = await identify()
    accountRequests.begin(caller.call.accountId)
    try {
      return await answerIdentified(caller, early)
    } finally {
      accountRequests.end(caller.call.accountId)
    }
  }

  async function route(
    request: HttpRequest,
    requestId: string,
    path: string,
    query: string,
    trail: RequestTrail,
    admit: Admit | undefined,
  ): Promise<HttpResponse> {
    let matched: Route | undefined
    try {
      const found = match(path)
      if (found === undefined) throw new ClienteleError('route_not_found')
      matched = found.routes.get(request.method === 'HEAD' ? 'GET' : request.method)
      // The routes of a path differ only in their methods.
      trail.route = found.routes.values().next().value?.path
      trail.operation = matched?.id
      if (matched === undefined) throw methodNotAllowed(found.routes)
      const response = await answer(
        request,
        requestId,
        matched,
        found.parameters,
        query,
        trail,
        admit,
      )
      if (response.stream === undefined) return response
      const { id: operation } = matched
      return {
        ...response,
        stream: logBreak(services, response.stream, { requestId, operation }),
      }
    } catch (error) {
      trail.error = error
      if (!trail.isAdmitted)
        await waitAsStranger(services.strangersTurns, () => isCallerGone(request))
      return render(services, error, requestId, matched)
    }
  }

  return async (request, admit) => {
    const mark = request.url.indexOf('?')
    const path = mark === -1 ? request.url : request.url.slice(0, mark)
    if (!isBelowRoot(path)) return undefined
    const requestId = readRequestId(services, request)
    const query = mark === -1 ? '' : request.url.slice(mark + 1)
    const start = startRequest(request, requestId)
    const answerIt = () => route(request, requestId, path, query, start.trail, admit)
    const answered =
      observation?.aroundRequest === undefined
        ? await answerIt()
        : await observeAround(observation.aroundRequest, request, start, answerIt)
    const response = complete(answered, requestId)
    observation?.request?.(describeRequest(start, response))
    // RFC 9110, section 9.3.2: the header fields of GET, including the length, without content.
    if (request.method !== 'HEAD') return response
    return { ...response, body: undefined, bytes: undefined, stream: undefined }
  }
}
