import { InvalidArgumentError } from 'commander'

export function parseSeconds(text: string): number {
  if (/^[0-9]{1,8}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Write a whole number of seconds.')
}
