import type { Clientele, SigningAlgorithm } from '@clientele/core'
import { type Command, Option } from 'commander'
import { formatSigningKeys } from '../../format-signing-keys.ts'
import { idOption } from '../../id-option.ts'
import { parseSeconds } from '../../parse-seconds.ts'
import { UsageError } from '../../usage-error.ts'
import { type Output, openClientele, withRepository } from '../../with-clientele.ts'

// Importing core's list would load the signing code even for --help; a missing algorithm does not compile.
const algorithms: Record<SigningAlgorithm, true> = { ES256: true, EdDSA: true, RS256: true }

const lineEveryMs = 2_000

interface Options {
  account?: string
  all?: true
  now?: true
  publish?: number
  algorithm?: SigningAlgorithm
}

export function addSigningKeyRotate(parent: Command): void {
  parent
    .command('rotate')
    .description(
      'publish a new key, which signs later; the old one verifies until its last token expires',
    )
    .addOption(idOption('account').makeOptionMandatory(false))
    .option('--all', 'in every account that has keys; continues an interrupted run')
    .option('--now', 'the new key signs at once, although verifiers may not know it yet')
    .addOption(
      new Option(
        '--publish <seconds>',
        'how long the new key is published before it signs: the signingKeyPublishSeconds of your program. Default: 1200',
      )
        .argParser(parseSeconds)
        .conflicts('now'),
    )
    .addOption(
      new Option('--algorithm <name>', 'the algorithm of the key; default: that of the current key')
        .choices(Object.keys(algorithms))
        .conflicts('all'),
    )
    .addHelpText('after', '\nExample: clientele signing-key rotate --account ID')
    .action(
      withRepository('make', async (repository, options: Options) => {
        const { account, all, now, publish, algorithm } = options
        if ((account === undefined) === (all === undefined))
          throw new UsageError('Give either --account ID or --all.')
        const clientele = await openClientele(repository, 'make', {
          checksSecret: true,
          signingKeyPublishSeconds: publish,
        })
        return account === undefined
          ? rotateAll(clientele, now)
          : rotateOne(clientele, account, now, algorithm)
      }),
    )
}

async function rotateOne(
  { signingKeys }: Clientele,
  account: string,
  now: boolean | undefined,
  algorithm: SigningAlgorithm | undefined,
): Promise<Output> {
  const latest = (await signingKeys.list(account)).filter((key) => key.retiredAt === null)
  const wanted = algorithm ? [algorithm] : latest.map((key) => key.algorithm)
  if (wanted.length === 0) await signingKeys.rotate(account, { now })
  for (const each of wanted) await signingKeys.rotate(account, { now, algorithm: each })
  const keys = await signingKeys.list(account)
  return { json: { keys }, text: formatSigningKeys(keys) }
}

async function rotateAll({ signingKeys }: Clientele, now: boolean | undefined): Promise<Output> {
  let accounts = 0
  let saidAt = performance.now()
  const say = (): void => console.error(`${accounts} accounts rotated`)
  for await (const _ of signingKeys.rotateAll({ now })) {
    accounts++
    if (performance.now() - saidAt < lineEveryMs) continue
    saidAt = performance.now()
    say()
  }
  say()
  return { json: { accounts }, text: `Rotated the keys of ${accounts} accounts.` }
}
