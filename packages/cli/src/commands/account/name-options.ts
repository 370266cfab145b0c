import type { UpdateAccount } from '@clientele/core'
import { type Command, InvalidArgumentError, Option } from 'commander'

/** What `account create` and `account update` share; false: none. */
export interface NameOptions {
  slug?: string | false
  externalId?: string | false
  metadata?: Record<string, string> | false
}

/** The given members of an account. */
export function readNames({
  slug,
  externalId,
  metadata,
}: NameOptions): Omit<UpdateAccount, 'name'> {
  return {
    ...(slug !== undefined && { slug: slug === false ? null : slug }),
    ...(externalId !== undefined && { externalId: externalId === false ? null : externalId }),
    ...(metadata !== undefined && { metadata: metadata || {} }),
  }
}

export function addNameOptions(command: Command): Command {
  return command
    .option(
      '--slug <slug>',
      "the account's part of a host name: lower-case letters, digits and hyphens",
    )
    .option('--external-id <id>', 'your own id of the account')
    .addOption(
      new Option(
        '--metadata <key=value...>',
        'up to 5 texts of your own; they replace the stored ones',
      ).argParser(addEntry),
    )
}

/** Reads one `key=value`, and adds it to those before. */
function addEntry(
  text: string,
  before: Record<string, string> | false | undefined,
): Record<string, string> {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('Write a key and a value, such as plan=pro.')
  const key = text.slice(0, at)
  const entries = before || {}
  if (Object.hasOwn(entries, key)) throw new InvalidArgumentError(`The key ${key} is there twice.`)
  return { ...entries, [key]: text.slice(at + 1) }
}
