import type { NewTrustedIssuer } from '@clientele/core'
import type { Command } from 'commander'
import { formatIssuers } from '../../format-issuers.ts'
import { idOption } from '../../id-option.ts'
import {
  addIssuerOptions,
  algorithmOption,
  audienceOption,
  type IssuerOptions,
  readIssuerOptions,
} from '../../issuer-options.ts'
import { withClientele } from '../../with-clientele.ts'

type Options = IssuerOptions & Required<Pick<IssuerOptions, 'issuer' | 'audience' | 'algorithm'>>

export function addIssuerCreate(parent: Command): void {
  const command = parent
    .command('create')
    .description(
      'accept the tokens of an issuer; without given keys, they are discovered from its URL',
    )
    .addOption(idOption('account'))
    .requiredOption('--issuer <url>', 'iss of its tokens')
    .addOption(audienceOption().makeOptionMandatory())
    .addOption(algorithmOption().makeOptionMandatory())
  addIssuerOptions(command)
    .addHelpText(
      'after',
      '\nExample: clientele issuer create --account ID --issuer https://accounts.google.com --audience CLIENT_ID --algorithm RS256 --sign-in',
    )
    .action(
      withClientele('change', async (clientele, options: Options) => {
        const created = await clientele.trustedIssuers.create(options.account, {
          ...(await readIssuerOptions(options)),
          issuer: options.issuer,
          audience: options.audience,
          algorithms: options.algorithm,
        } as NewTrustedIssuer) // no member is null: only the options of an update set null
        return { json: { issuer: created }, text: formatIssuers([created]) }
      }),
    )
}
