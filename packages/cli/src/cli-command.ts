import { Command } from 'commander'

type ErrorOptions = Parameters<Command['error']>[1]

/** A command that names a misspelt option before it misses the one that was meant. */
export class CliCommand extends Command {
  override createCommand(name?: string): Command {
    return new CliCommand(name)
  }

  override error(message: string, options?: ErrorOptions): never {
    const isMissing = options?.code === 'commander.missingMandatoryOptionValue'
    const misspelt = isMissing ? this.args.find((each) => /^--?[a-z]/i.test(each)) : undefined
    // Commander's own, which its types leave out: it says which option comes near.
    const refuse: unknown = Reflect.get(this, 'unknownOption')
    if (misspelt !== undefined && typeof refuse === 'function') refuse.call(this, misspelt)
    return super.error(message, options)
  }
}
