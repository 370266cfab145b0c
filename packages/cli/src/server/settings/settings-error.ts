/** Invalid settings. The message has a line for each, and never a value. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError'

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
  }
}
