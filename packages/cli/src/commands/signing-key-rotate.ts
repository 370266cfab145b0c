import type { SigningAlgorithm } from '@clientele/core'
import { type Command, Option } from 'commander'
import { formatSigningKeys } from '../format-signing-keys.ts'
import { openClientele, withRepository } from '../with-clientele.ts'

// Loading the list itself would load all that signs, for --help too; one that is left out here does not compile.
const algorithms: Record<SigningAlgorithm, true> = {
  EdDSA: true,
  ES256: true,
  RS256: true,
  HS256: true,
}

interface Options {
  algorithm?: SigningAlgorithm
}

export function addSigningKeyRotate(parent: Command): void {
  parent
    .command('rotate')
    .description('sign with a new key; the old one verifies until its last token is dead')
    .addOption(
      new Option('--algorithm <name>', 'of the key; else each that signs now').choices(
        Object.keys(algorithms),
      ),
    )
    .action(
      withRepository('make', async (repository, { algorithm }: Options) => {
        const open = (signingAlgorithm: SigningAlgorithm | undefined) =>
          openClientele(repository, 'make', { checksSecret: true, signingAlgorithm })
        const { signingKeys } = await open(algorithm)
        const active = (await signingKeys.list()).filter(({ status }) => status === 'active')
        const wanted = algorithm ? [algorithm] : active.map((key) => key.algorithm)
        if (wanted.length === 0) await signingKeys.rotate()
        for (const each of wanted) await (await open(each)).signingKeys.rotate()
        const keys = await signingKeys.list()
        return { json: { keys }, text: formatSigningKeys(keys) }
      }),
    )
}
