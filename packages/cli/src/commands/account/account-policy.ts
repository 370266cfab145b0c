import type { AccountPolicy, SetPolicy } from '@clientele/core'
import { type Command, Option } from 'commander'
import { formatRow } from '../../format-table.ts'
import { idOption } from '../../id-option.ts'
import { parseSeconds } from '../../parse-seconds.ts'
import { parseUpTo } from '../../parse-up-to.ts'
import { withClientele } from '../../with-clientele.ts'

interface Options {
  account: string
  signIn?: AccountPolicy['signIn']
  secondFactor?: AccountPolicy['secondFactor']
  passwordRequired?: boolean
  minPasswordLength?: number | false
  verifiedEmail?: AccountPolicy['verifiedEmail']
  rememberDeviceDays?: number | false
  sessionTtl?: number | false
  sessionMax?: number | false
}

export function addAccountPolicy(parent: Command): void {
  parent
    .command('policy')
    .description(
      "show what an account demands of its users' sign-ins and passwords, and change only what is given; open sessions go on",
    )
    .addOption(idOption('account'))
    .addOption(
      new Option('--sign-in <way...>', 'the ways that open a session').choices([
        'password',
        'passkey',
        'id_token',
        'email_code',
      ]),
    )
    .addOption(
      new Option(
        '--second-factor <rule>',
        'required: a user without a second factor enrols one at the next sign-in',
      ).choices(['optional', 'required']),
    )
    .option('--password-required', 'a new user needs a password')
    .option('--no-password-required', 'a user may be created without a password')
    .addOption(
      new Option('--min-password-length <number>', 'the shortest new password, 6 to 64').argParser(
        parseUpTo(64),
      ),
    )
    .option('--no-min-password-length', 'as the service has it')
    .addOption(
      new Option(
        '--verified-email <rule>',
        'required: a password signs nobody in whose e-mail address is not verified',
      ).choices(['optional', 'required']),
    )
    .addOption(
      new Option(
        '--remember-device-days <number>',
        'how long a user needs no second factor on a remembered device, 1 to 90',
      ).argParser(parseUpTo(90)),
    )
    .option('--no-remember-device-days', 'every sign-in needs the second factor')
    .addOption(
      new Option('--session-ttl <seconds>', 'how long an unused session lives').argParser(
        parseSeconds,
      ),
    )
    .option('--no-session-ttl', 'as the service has it')
    .addOption(
      new Option('--session-max <seconds>', 'how long use can keep a session alive').argParser(
        parseSeconds,
      ),
    )
    .option('--no-session-max', 'as the service has it')
    .addHelpText(
      'after',
      '\nExample: clientele account policy --account ID --sign-in passkey id_token --no-password-required',
    )
    .action(
      withClientele(
        (options: Options) => (isEmpty(readPolicy(options)) ? 'look' : 'change'),
        async ({ accounts }, options) => {
          const policy = readPolicy(options)
          const account = await (isEmpty(policy)
            ? accounts.find(options.account)
            : accounts.setPolicy(options.account, policy))
          return { json: { account }, text: formatRow(formatPolicy(account.policy)) }
        },
      ),
    )
}

function isEmpty(policy: SetPolicy): boolean {
  return Object.keys(policy).length === 0
}

function readPolicy({
  signIn,
  secondFactor,
  passwordRequired,
  minPasswordLength,
  verifiedEmail,
  rememberDeviceDays,
  sessionTtl,
  sessionMax,
}: Options): SetPolicy {
  return {
    ...(signIn !== undefined && { signIn }),
    ...(secondFactor !== undefined && { secondFactor }),
    ...(passwordRequired !== undefined && { passwordRequired }),
    ...(minPasswordLength !== undefined && { minPasswordLength: ownOrNone(minPasswordLength) }),
    ...(verifiedEmail !== undefined && { verifiedEmail }),
    ...(rememberDeviceDays !== undefined && { rememberDeviceDays: rememberDeviceDays || 0 }),
    ...(sessionTtl !== undefined && { sessionTtlSeconds: ownOrNone(sessionTtl) }),
    ...(sessionMax !== undefined && { sessionMaxSeconds: ownOrNone(sessionMax) }),
  }
}

/** False: taken back. */
function ownOrNone(given: number | false): number | null {
  return given === false ? null : given
}

function formatPolicy({ signIn, secondFactor, passwordRequired, ...policy }: AccountPolicy) {
  const { minPasswordLength, verifiedEmail, rememberDeviceDays } = policy
  const { sessionTtlSeconds, sessionMaxSeconds } = policy
  const ofService = 'as the service has it'
  return {
    sign_in: signIn,
    second_factor: secondFactor,
    password_required: passwordRequired ? 'yes' : 'no',
    min_password_length: minPasswordLength ?? ofService,
    verified_email: verifiedEmail,
    remember_device_days: rememberDeviceDays,
    session_ttl_seconds: sessionTtlSeconds ?? ofService,
    session_max_seconds: sessionMaxSeconds ?? ofService,
  }
}
