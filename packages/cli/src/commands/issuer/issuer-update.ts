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
    .description('change what is named of an issuer, and leave the rest; a list is replaced whole')
    .addOption(idOption('account'))
    .addOption(idOption('id', 'issuer'))
    .option('--issuer <url>', 'iss of its tokens')
    .addOption(audienceOption())
    .addOption(algorithmOption())
    .addOption(keyOption('--discover', 'drop the keys given before: they are found from its URL'))
  addIssuerOptions(command)
    .option('--no-allow-client-id', 'refuse a token without aud')
    .option('--no-sign-in', 'open no sessions any more; takes back what only signing in needs')
    .option('--no-link-by-email', 'link no identity by its e-mail')
    .option('--no-max-age', 'it does not matter when its user signed in there')
    .option('--no-trust-unverified-email', 'take only an e-mail that it calls verified')
    .action(
      withClientele('change', async (clientele, options: Options) => {
        const { account, id, discover } = options
        const changes = await readIssuerOptions(options)
        const withKeys = discover
          ? { ...changes, jwksUrl: null, publicKeys: null, sharedSecret: null }
          : changes
        if (Object.values(withKeys).every((value) => value === undefined))
          throw new UsageError('Name what to change of the issuer: --help shows what there is.')
        const updated = await clientele.trustedIssuers.update(account, id, withKeys)
        return { json: { issuer: updated }, text: formatIssuers([updated]) }
      }),
    )
}
