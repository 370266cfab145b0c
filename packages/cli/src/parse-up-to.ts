import { InvalidArgumentError } from 'commander'

/** Makes the parser of an option that takes a whole number from 1 to a maximum of at most nine digits. */
export function parseUpTo(most: number): (text: string) => number {
  return (text) => {
    if (!/^[1-9][0-9]{0,8}$/.test(text) || Number(text) > most)
      throw new InvalidArgumentError(`Give a number from 1 to ${most}.`)
    return Number(text)
  }
}
