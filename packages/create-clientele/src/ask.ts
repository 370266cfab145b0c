import { select, text } from '@clack/prompts'
import { type Choices, choiceNames, choices, defaults, questions } from './choices.ts'
import { checkFolder } from './folder.ts'
import { type Arguments, UsageError } from './read-arguments.ts'

const defaultFolder = 'clientele-app'

/**
 * Asks for what the arguments do not say.
 *
 * @throws UsageError without a terminal, with the names of the missing arguments
 */
export async function ask(given: Arguments): Promise<{ folder: string; chosen: Choices }> {
  const missing = given.takesDefaults
    ? []
    : choiceNames.filter((name) => given.chosen[name] === undefined)
  const named = given.folder ?? (given.takesDefaults ? defaultFolder : undefined)
  const isComplete = named !== undefined && missing.length === 0
  if (!isComplete && !(process.stdin.isTTY && process.stdout.isTTY)) {
    const names = missing.map((name) => `--${name}`)
    const all = named === undefined ? ['a folder', ...names] : names
    throw new UsageError(`Not given: ${all.join(', ')}. Add --yes to take the defaults.`)
  }
  const folder = named === undefined ? await askForFolder() : checked(named)
  const chosen: Choices = { ...defaults, ...given.chosen }
  for (const name of missing) Object.assign(chosen, { [name]: await askFor(name) })
  return { folder, chosen }
}

function askForFolder(): Promise<string> {
  const validate = (name: string | undefined) => checkFolder(name || defaultFolder)
  const placeholder = defaultFolder
  return answered(
    text({ message: 'Which folder?', defaultValue: defaultFolder, placeholder, validate }),
  )
}

function checked(folder: string): string {
  const problem = checkFolder(folder)
  if (problem !== undefined) throw new UsageError(problem)
  return folder
}

function askFor(name: keyof Choices): Promise<string> {
  const options = Object.entries(choices[name]).map(([value, label]) => ({ value, label }))
  return answered(select({ message: questions[name], options }))
}

async function answered(answer: Promise<string | symbol>): Promise<string> {
  const value = await answer
  if (typeof value === 'symbol') throw new UsageError('Nothing was created.')
  return value
}
