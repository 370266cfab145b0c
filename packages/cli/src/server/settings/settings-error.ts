/** Invalid settings. The message has a line for each, then one for each misspelt name, and never a value. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[], misspelt: readonly string[] = []) {
    super([...problems, ...misspelt].join('\n'))
    this.problems = problems
  }
}
