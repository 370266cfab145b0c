import { Command } from 'commander'
import { isClose } from './is-close.ts'

type ErrorOptions = Parameters<Command['error']>[1]

/** A command that reports a misspelt option before it reports a missing required one. */
export class CliCommand extends Command {
  override createCommand(name?: string): Command {
    return new CliCommand(name)
  }

  override error(message: string, options?: ErrorOptions): never {
    const isMissing = options?.code === 'commander.missingMandatoryOptionValue'
    const misspelt = isMissing ? this.args.find((each) => /^--?[a-z]/i.test(each)) : undefined
    // A method of Commander that its types omit: it suggests a similar option.
    const refuse: unknown = Reflect.get(this, 'unknownOption')
    if (misspelt !== undefined && typeof refuse === 'function') refuse.call(this, misspelt)
    return super.error(message + suggestChoice(message), options)
  }
}

/** ` Did you mean …?` after a wrong value of an option that has choices; otherwise nothing. */
function suggestChoice(message: string): string {
  const [, given = '', choices = ''] =
    /argument '([^']{1,64})' is invalid\. Allowed choices are ([^.]+)\.$/.exec(message) ?? []
  const meant = choices.split(', ').find((choice) => isClose(choice, given))
  return meant === undefined || choices === '' ? '' : ` Did you mean ${meant}?`
}
