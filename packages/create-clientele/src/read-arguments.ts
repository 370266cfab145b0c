import { parseArgs } from 'node:util'
import leven from 'leven'
import { type Choices, choiceNames, choices, defaults } from './choices.ts'

/** A mistake in the command line. */
export class UsageError extends Error {}

export interface Arguments {
  folder: string | undefined
  chosen: Partial<Choices>
  /** Whatever is not chosen is the default. */
  takesDefaults: boolean
  wants: 'app' | 'help' | 'version'
}

const otherOptions = ['yes', 'help', 'version']
const known: readonly string[] = [...choiceNames, ...otherOptions]

/** @throws UsageError for an option or a value that does not exist, by its name */
export function readArguments(args: readonly string[]): Arguments {
  const { tokens } = parseArgs({
    args: [...args],
    tokens: true,
    strict: false,
    options: {
      ...Object.fromEntries(choiceNames.map((name) => [name, { type: 'string' as const }])),
      yes: { type: 'boolean', short: 'y' },
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean', short: 'v' },
    },
  })
  const read: Arguments = { folder: undefined, chosen: {}, takesDefaults: false, wants: 'app' }
  for (const token of tokens) {
    if (token.kind === 'positional') {
      if (read.folder !== undefined)
        throw new UsageError(`Name only one folder: ${token.value} is a second one.`)
      read.folder = token.value
    }
    if (token.kind !== 'option') continue
    const { name, rawName, value } = token
    if (!known.includes(name))
      throw new UsageError(`${rawName} is not an option.${suggest(name, known, '--')}`)
    if (name === 'yes') read.takesDefaults = true
    else if (name === 'help' || name === 'version') read.wants = name
    else Object.assign(read.chosen, readChoice(name, value))
  }
  return read
}

function readChoice(name: string, value: string | undefined): Partial<Choices> {
  const values: readonly string[] = Object.keys(
    Object.entries(choices).find(([key]) => key === name)?.[1] ?? {},
  )
  if (value !== undefined && values.includes(value)) return { [name]: value }
  const said = value === undefined ? `--${name} needs a value` : `--${name} cannot be ${value}`
  throw new UsageError(`${said}: ${values.join(', ')}.${suggest(value ?? '', values, '')}`)
}

function suggest(text: string, names: readonly string[], prefix: string): string {
  const near = names.find((name) => leven(name, text) <= 2)
  return near === undefined ? '' : ` Did you mean ${prefix}${near}?`
}

export const help = `Creates an app whose users sign in with Clientele.

npm create clientele@latest [folder] -- [options]

${choiceNames.map((name) => `  --${name} ${Object.keys(choices[name]).join('|')}  (default: ${defaults[name]})`).join('\n')}
  -y, --yes      ask nothing: an option that is not given has its default
  -h, --help
  -v, --version

For example:
  npm create clientele@latest my-app -- --framework fastify --database postgresql --yes
`
