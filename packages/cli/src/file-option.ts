import { InvalidArgumentError, Option } from 'commander'

/** An option that names a file. */
export function fileOption(description: string): Option {
  return new Option('--file <path>', description).argParser(parsePath)
}

/** A path is empty if the shell variable for it is not set. */
function parsePath(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('Name a file: the path is empty.')
  return text
}
