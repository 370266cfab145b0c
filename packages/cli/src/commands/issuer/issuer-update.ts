import type { Command } from 'commander'
import { formatIssuers } from '../../format-issuers.ts'
import { idOption } from '../../id-option.ts'
import {
  addIssuerOptions,
  algorithmOption,
  audienceOption,
  type IssuerOptions,
  keyOption,
  readIssuerOptions,
} from '../../issuer-options.ts'
import { UsageError } from '../../usage-error.ts'
import { withClientele } from '../../with-clientele.ts'

interface Options extends IssuerOptions {
  id: string
  discover?: true
}

export function addIssuerUpdate(parent: Command): void {
  const command = parent
    .command('update')
    .description(
      'change the given settings of an issuer, and keep the others; a given list replaces the old one',
    )
    .addOption(idOption('account'))
    .addOption(idOption('id', 'issuer'))
    .option('--issuer <url>', 'iss of its tokens')
    .addOption(audienceOption())
    .addOption(algorithmOption())
    .addOption(keyOption('--discover', 'drop the given keys, and discover them from its URL'))
  addIssuerOptions(command)
    .option('--no-allow-client-id', 'refuse a token without aud')
    .option('--no-sign-in', 'open no more sessions; also resets the settings for sign-in')
    .option('--no-link-by-email', 'do not link identities by e-mail')
    .option('--no-max-age', 'allow any time since the user signed in at the issuer')
    .option(
      '--no-trust-unverified-email',
      'accept only e-mails that the issuer has marked as verified',
    )
    .addHelpText('after', '\nExample: clientele issuer update --account ID --id ID --link-by-email')
    .action(
      withClientele('change', async (clientele, options: Options) => {
        const { account, id, discover } = options
        const changes = await readIssuerOptions(options)
        const withKeys = discover
          ? { ...changes, jwksUrl: null, publicKeys: null, sharedSecret: null }
          : changes
        if (Object.values(withKeys).every((value) => value === undefined))
          throw new UsageError('Give a setting to change: --help lists them.')
        const updated = await clientele.trustedIssuers.update(account, id, withKeys)
        return { json: { issuer: updated }, text: formatIssuers([updated]) }
      }),
    )
}
