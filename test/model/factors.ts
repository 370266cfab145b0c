import fc from 'fast-check'
import { Secret, TOTP } from 'otpauth'
import type { Service } from './service.ts'
import { problemOf } from './service.ts'
import { failedSignIn, openSession, readTokens } from './sessions.ts'
import { type Answer, endChallenges, type Factor, type State } from './state.ts'
import type { Plan } from './step.ts'
import { absent, choices } from './users.ts'

// The rule: an app counts once it is confirmed. A code of it is good for its thirty seconds and those beside them, and
// once: later codes only. Each of the ten recovery codes works once, and so does a challenge, with five tries.

const stepMs = 30_000
/** The code of the present thirty seconds, of those before and after, and one that is too old */
const drifts = fc.constantFrom(0, 1, -1, -2)
const wrongCode: Answer = { status: 401, code: 'two_factor_code_invalid' }
const badChallenge: Answer = { status: 401, code: 'challenge_invalid' }
const notEnrolled: Answer = { status: 409, code: 'two_factor_not_enrolled' }
const enrolledAlready: Answer = { status: 409, code: 'two_factor_already_enrolled' }

/** What an app shows, and the number of those thirty seconds. */
function show(service: Service, secret: string, drift: number): { code: string; step: number } {
  const timestamp = service.clock.now + drift * stepMs
  const totp = new TOTP({ secret: Secret.fromBase32(service.valueOf(secret)) })
  return { code: totp.generate({ timestamp }), step: Math.floor(timestamp / stepMs) }
}

function isShown({ now }: State, step: number): boolean {
  return Math.abs(step - Math.floor(now / stepMs)) <= 1
}

export function enrol(choice: number): Plan {
  return (service, number) => {
    const user = service.pick('user', choice)
    if (user === undefined) return undefined
    const secret = `secret${number}`
    return {
      words: `enrol an app of ${user}`,
      ask: async () => {
        const reply = await service.send('POST', `${pathOf(service, user)}/totp`)
        if (reply.status !== 201) return problemOf(reply)
        service.owners.set(secret, user)
        return { status: 201, secret: service.nameOf('secret', reply.body.secret, secret) }
      },
      expect: ({ users }) => {
        const found = users[user]
        if (found === undefined) return absent
        if (found.factor?.isConfirmed) return enrolledAlready
        found.factor = { secret, isConfirmed: false, lastStep: 0, recoveryCodes: [] }
        return { status: 201, secret }
      },
    }
  }
}

export function confirm(choice: number, drift: number): Plan {
  return (service, number) => {
    const secret = service.pick('secret', choice)
    const user = secret && service.owners.get(secret)
    if (secret === undefined || user === undefined) return undefined
    const { code, step } = show(service, secret, drift)
    return {
      words: `confirm ${secret} of ${user} by the code of ${drift * 30} s from now`,
      ask: async () => {
        const path = `${pathOf(service, user)}/totp/confirm`
        return readCodes(service, await service.send('POST', path, { code }), number)
      },
      expect: (state) => {
        const found = state.users[user]
        if (found === undefined) return absent
        const { factor } = found
        if (factor === undefined) return notEnrolled
        if (factor.isConfirmed) return enrolledAlready
        if (factor.secret !== secret || !isShown(state, step)) return wrongCode
        Object.assign(factor, { isConfirmed: true, lastStep: step })
        state.events.push(`two_factor.enrolled ${user}`)
        return giveCodes(factor, number)
      },
    }
  }
}

function readCodes(service: Service, reply: Awaited<ReturnType<Service['send']>>, number: number) {
  if (reply.status !== 200) return problemOf(reply)
  const codes = reply.body.recovery_codes as string[] // as documented
  const named = codes.map((code, index) => service.nameOf('code', code, `code${number}.${index}`))
  return { status: 200, codes: named }
}

function giveCodes(factor: Factor, number: number): Answer {
  factor.recoveryCodes = Array.from({ length: 10 }, (_, index) => `code${number}.${index}`)
  return { status: 200, codes: [...factor.recoveryCodes] }
}

function renewCodes(choice: number): Plan {
  return (service, number) => {
    const user = service.pick('user', choice)
    if (user === undefined) return undefined
    return {
      words: `renew the recovery codes of ${user}`,
      ask: async () => {
        const path = `${pathOf(service, user)}/recovery-codes`
        return readCodes(service, await service.send('POST', path), number)
      },
      expect: (state) => {
        const found = state.users[user]
        if (found === undefined) return absent
        if (!found.factor?.isConfirmed) return notEnrolled
        state.events.push(`two_factor.recovery_codes_renewed ${user}`)
        return giveCodes(found.factor, number)
      },
    }
  }
}

export function readFactors(user: string): Plan {
  return (service) => ({
    words: `read the factors of ${user}`,
    ask: async () => {
      const reply = await service.send('GET', pathOf(service, user))
      if (reply.status !== 200) return problemOf(reply)
      return { status: 200, totp: reply.body.totp, left: reply.body.recovery_codes_left }
    },
    expect: ({ users }) => {
      const found = users[user]
      if (found === undefined) return absent
      const { isConfirmed = false, recoveryCodes = [] } = found.factor ?? {}
      return { status: 200, totp: isConfirmed, left: recoveryCodes.length }
    },
  })
}

function removeFactors(choice: number): Plan {
  return (service) => {
    const user = service.pick('user', choice)
    if (user === undefined) return undefined
    return {
      words: `remove the factors of ${user}`,
      ask: async () => problemOf(await service.send('DELETE', pathOf(service, user))),
      expect: (state) => {
        const found = state.users[user]
        if (found === undefined) return absent
        if (found.factor !== undefined) state.events.push(`two_factor.removed ${user}`)
        delete found.factor
        endChallenges(state, user)
        return { status: 204 }
      },
    }
  }
}

/** Answers a challenge; `uses` says whether the code is right, and uses it up. */
function answer(
  method: string,
  choice: number,
  codeOf: (service: Service) => { name: string; code: string } | undefined,
  uses: (state: State, factor: Factor, name: string) => boolean,
): Plan {
  return (service, number) => {
    const challenge = service.pick('challenge', choice)
    const shown = codeOf(service)
    if (challenge === undefined || shown === undefined) return undefined
    const sent = { challenge: service.valueOf(challenge), method, code: shown.code }
    return {
      words: `answer ${challenge} by ${shown.name}`,
      ask: async () => {
        const reply = await service.send('POST', '/client/user/auth/login/two-factor', sent)
        return readTokens(service, reply, number, `refresh${number}.0`)
      },
      expect: (state) => {
        const found = state.challenges[challenge]
        if (found === undefined || found.expiresAt <= state.now || found.tries === 0)
          return badChallenge
        found.tries--
        const factor = state.users[found.user]?.factor
        if (!factor?.isConfirmed || !uses(state, factor, shown.name)) {
          state.events.push(failedSignIn)
          return wrongCode
        }
        delete state.challenges[challenge]
        return openSession(state, found.user, number)
      },
    }
  }
}

function answerByApp(choice: number, secretChoice: number, drift: number): Plan {
  return answer(
    'totp',
    choice,
    (service) => {
      const secret = service.pick('secret', secretChoice)
      if (secret === undefined) return undefined
      const { code, step } = show(service, secret, drift)
      return { name: `the code of ${secret} at ${step}`, code }
    },
    (state, factor, name) => {
      const [, secret, at] = /^the code of (\w+) at (\d+)$/.exec(name) ?? []
      const step = Number(at)
      if (factor.secret !== secret || !isShown(state, step) || step <= factor.lastStep) return false
      factor.lastStep = step
      return true
    },
  )
}

function answerByRecoveryCode(choice: number, codeChoice: number): Plan {
  return answer(
    'recovery_code',
    choice,
    (service) => {
      const name = service.pick('code', codeChoice)
      return name === undefined ? undefined : { name, code: service.valueOf(name) }
    },
    (_state, factor, name) => {
      const isLeft = factor.recoveryCodes.includes(name)
      factor.recoveryCodes = factor.recoveryCodes.filter((each) => each !== name)
      return isLeft
    },
  )
}

function pathOf(service: Service, user: string): string {
  return `/client/user/${service.valueOf(user)}/two-factor`
}

export const factorPlans: readonly fc.WeightedArbitrary<Plan>[] = [
  { weight: 2, arbitrary: choices.map(enrol) },
  {
    weight: 2,
    arbitrary: fc.tuple(choices, drifts).map(([choice, drift]) => confirm(choice, drift)),
  },
  { weight: 1, arbitrary: choices.map(renewCodes) },
  { weight: 1, arbitrary: choices.map(removeFactors) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(choices, choices, drifts)
      .map(([choice, secret, drift]) => answerByApp(choice, secret, drift)),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(choices, choices)
      .map(([choice, code]) => answerByRecoveryCode(choice, code)),
  },
]
