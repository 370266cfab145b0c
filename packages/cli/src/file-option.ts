import { InvalidArgumentError, Option } from 'commander'

/** An option that names a file. */
export function fileOption(description: string): Option {
  return new Option('--file <path>', description).argParser(parsePath)
}

/** An empty one is what a variable leaves that is not set. */
function parsePath(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('Name a file: the path is empty.')
  return text
}
