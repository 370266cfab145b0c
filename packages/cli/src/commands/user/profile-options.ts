import { readFile } from 'node:fs/promises'
import { stdin } from 'node:process'
import { text } from 'node:stream/consumers'
import type { JsonObject } from '@clientele/core'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { UsageError } from '../../usage-error.ts'

/** The options of `user create` and `user update`. */
export interface ProfileOptions {
  account: string
  name?: string
  email?: string
  /** false: none */
  roles?: false
  role?: string[]
  metadata?: JsonObject
  passwordFile?: string
}

/** Adds the options that `user create` and `user update` share, except those that `create` requires. */
export function addProfileOptions(command: Command): Command {
  return addProfileFields(command).option(
    '--password-file <path>',
    'a file with the password; -: standard input',
  )
}

/** Those that a user without a password has, too */
export function addProfileFields(command: Command): Command {
  return command
    .option('--role <role...>', 'the roles of the user')
    .addOption(
      new Option('--metadata <json>', 'your own data about the user, as a JSON object').argParser(
        parseObject,
      ),
    )
}

/** A password on the command line would be in the shell's history, and in the list of processes. */
export async function readPassword(path: string): Promise<string> {
  const content = path === '-' ? await text(stdin) : await readFile(path, 'utf8')
  const password = content.replace(/\r?\n$/, '')
  if (password === '') throw new UsageError(`${path === '-' ? 'Standard input' : path} is empty.`)
  return password
}

function parseObject(json: string): JsonObject {
  try {
    const value: unknown = JSON.parse(json)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as JsonObject // JSON.parse returns nothing else
  } catch {
    // It is refused below.
  }
  throw new InvalidArgumentError('Write a JSON object, such as \'{"plan":"pro"}\'.')
}
