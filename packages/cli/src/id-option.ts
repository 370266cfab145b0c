import { InvalidArgumentError, Option } from 'commander'

const pattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** A required option for the id of an account or of one of its objects. An invalid id is refused before the database is opened. */
export function idOption(name: 'account' | 'key' | 'token' | 'id', whose: string = name): Option {
  const hint = name === 'account' ? ' clientele account list shows the ids of accounts.' : ''
  const parse = (text: string): string => {
    if (!pattern.test(text)) throw new InvalidArgumentError(`The id must be a UUID.${hint}`)
    return text.toLowerCase()
  }
  return new Option(`--${name} <id>`, `the ${whose}'s id`).argParser(parse).makeOptionMandatory()
}
