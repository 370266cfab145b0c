import { type SigningAlgorithm, signingAlgorithms } from '@clientele/core'
import { type Command, Option } from 'commander'
import { formatSigningKeys } from '../format-signing-keys.ts'
import { withSigningKeys } from '../with-clientele.ts'

export function addSigningKeyRotate(parent: Command): void {
  parent
    .command('rotate')
    .description('sign with a new key; the old one verifies until its last token is dead')
    .addOption(
      new Option('--algorithm <name>', 'of the key; else each that signs now').choices(
        signingAlgorithms,
      ),
    )
    .action(
      withSigningKeys('make', async (open, { algorithm }: { algorithm?: SigningAlgorithm }) => {
        const { signingKeys } = await open(algorithm)
        const active = (await signingKeys.list()).filter(({ status }) => status === 'active')
        const algorithms = algorithm ? [algorithm] : active.map((key) => key.algorithm)
        if (algorithms.length === 0) await signingKeys.rotate()
        for (const each of algorithms) await (await open(each)).signingKeys.rotate()
        const keys = await signingKeys.list()
        return { json: { keys }, text: formatSigningKeys(keys) }
      }),
    )
}
