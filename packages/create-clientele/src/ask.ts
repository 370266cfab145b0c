import { select, text } from '@clack/prompts'
import { type Choices, choiceNames, choices, defaults, questions } from './choices.ts'
import { checkFolder } from './folder.ts'
import { type Arguments, UsageError } from './read-arguments.ts'

/** Asks for what the arguments do not say. @throws UsageError where nobody can answer, with what is missing */
export async function ask(given: Arguments): Promise<{ folder: string; chosen: Choices }> {
  const { folder, chosen, takesDefaults } = given
  if (takesDefaults)
    return { folder: checked(folder ?? 'clientele-app'), chosen: { ...defaults, ...chosen } }
  const missing = choiceNames.filter((name) => chosen[name] === undefined)
  if (folder !== undefined && missing.length === 0)
    return { folder: checked(folder), chosen: { ...defaults, ...chosen } }
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    const names = missing.map((name) => `--${name}`)
    const all = folder === undefined ? ['a folder', ...names] : names
    throw new UsageError(`Not given: ${all.join(', ')}. With --yes they are the defaults.`)
  }
  const into =
    folder === undefined
      ? await answered(
          text({
            message: 'Which folder?',
            defaultValue: 'clientele-app',
            placeholder: 'clientele-app',
            validate: (name) => checkFolder(name || 'clientele-app'),
          }),
        )
      : checked(folder)
  const answers: Partial<Choices> = { ...chosen }
  for (const name of missing) Object.assign(answers, { [name]: await askFor(name) })
  return { folder: into, chosen: { ...defaults, ...answers } }
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
