export const fileFormats = ['csv', 'ndjson'] as const
export type FileFormat = (typeof fileFormats)[number]

/** The format that an option names, or else the file's name. */
export function formatOf(file: string, named: FileFormat | undefined): FileFormat {
  return named ?? (file.toLowerCase().endsWith('.csv') ? 'csv' : 'ndjson')
}
